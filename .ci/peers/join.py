#!/usr/bin/python3
"""faiss's side: all pairs of rows within a radius, by an exact range search.

    join.py VECTORS.npy RADIUS

prints "seconds CPU-seconds megabytes pairs". The search finds every pair from
both sides, and every row itself; pairs are counted once.
"""
import resource
import sys
import time

import faiss
import numpy as np


def main():
    vectors = np.load(sys.argv[1])
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
