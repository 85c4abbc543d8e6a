#!/usr/bin/python3
"""faiss's and OpenBLAS's side of the comparison of exact searches.

    exact.py VECTORS.npy

prints lines like those of "ours exact": a copy by memcpy, which counts bytes read and bytes written; searches of
IndexFlatL2, one query at a time ("one"), in batches, and for all vectors ("all", with one more of each, which is
itself); and the products of all vectors with as many queries by sgemm ("sgemm100"), which every batch needs; "sgemm"
is a product of 2048 x 2048. THREADS=2 uses two threads (the default is one).
"""
import os

threads = int(os.environ.get("THREADS", "1"))
for library in "OMP", "OPENBLAS":  # read when numpy is imported
    os.environ[f"{library}_NUM_THREADS"] = str(threads)

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np

ROUNDS, SINGLES, K = 7, 5, 10


def measure(name, unit, amount, run):
    wall = cpu = float("inf")
    for _ in range(ROUNDS):
        w, c = time.perf_counter(), time.process_time()
        run()
        wall, cpu = min(wall, time.perf_counter() - w), min(cpu, time.process_time() - c)
    print(f"{name} {wall:.6f} {cpu:.6f} {amount / cpu / 1e9:.1f} {unit}", flush=True)


def main():
    vectors = np.ascontiguousarray(np.load(sys.argv[1]), dtype=np.float32)
    n, dim = vectors.shape
    to = np.ones_like(vectors)
    parts = [slice(i * n // threads, (i + 1) * n // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        def copy():
            for _ in range(SINGLES):
                list(pool.map(lambda part: np.copyto(to[part], vectors[part]), parts))
        measure("copy", "GB/s", 2 * vectors.nbytes * SINGLES, copy)
    del to
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(dim)
    index.add(vectors)

    def one():
        for i in range(SINGLES):
            index.search(vectors[i * n // SINGLES:][:1], K)
    measure("one", "GB/s", vectors.nbytes * SINGLES, one)
    for q in 10, 100, 1000:
        queries = np.ascontiguousarray(vectors[[i * n // q for i in range(q)]])
        measure(f"batch{q}", "GFLOP/s", 2 * q * n * dim, lambda: index.search(queries, K))
        out = np.empty((q, n), dtype=np.float32)
        measure(f"sgemm{q}", "GFLOP/s", 2 * q * n * dim, lambda: np.dot(queries, vectors.T, out=out))
    measure("all", "GFLOP/s", 2 * n * n * dim, lambda: index.search(vectors, K + 1))
    square = np.ones((2048, 2048), dtype=np.float32)
    measure("sgemm", "GFLOP/s", 2 * 2048**3, lambda: square @ square)


main()
