#!/usr/bin/python3
"""faiss's side: all pairs of rows within a radius, by an exact range search.

    join.py VECTORS RADIUS

reads a .npy file or word2vec text and prints "seconds CPU-seconds megabytes pairs". The search finds every pair twice,
and every row itself; pairs are counted once.
"""
import os

for library in "OMP", "OPENBLAS":  # read when numpy is imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import resource
import sys
import time

import faiss
import numpy as np


def load(path):
    if path.endswith(".npy"):
        return np.load(path)
    with open(path, encoding="utf-8") as text:
        rows, dim = map(int, next(text).split())
        vectors = np.empty((rows, dim), np.float32)
        for row, line in zip(vectors, text, strict=True):
            row[:] = line.split(" ")[1:]
    return vectors


def main():
    vectors = load(sys.argv[1])
    radius = float(sys.argv[2])
    faiss.omp_set_num_threads(1)
    wall, cpu = time.perf_counter(), time.process_time()
    index = faiss.IndexFlatL2(vectors.shape[1])
    index.add(vectors)
    limits, _, _ = index.range_search(vectors, radius * radius)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    pairs = (int(limits[-1]) - len(vectors)) // 2
    print(f"{wall:.4f} {cpu:.4f} {megabytes} {pairs}")


main()
