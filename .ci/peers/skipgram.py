#!/usr/bin/python3
"""gensim's side: skip-gram with hierarchical softmax on given walks.

    skipgram.py WALKS VECTORS ALPHA

reads walks over the vertices 0 to n-1, a line each, trains 200 dimensions with a
window of 10 in one pass and one thread, at a learning rate that begins at ALPHA,
writes a matrix with a row for each vertex
and prints "seconds CPU-seconds megabytes thousand-words-per-CPU-second". Reading is
not measured; making the vocabulary is, as ours counts its visits too.
"""
import resource
import sys
import time

import numpy as np
from gensim.models import Word2Vec


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        walks = [line.split() for line in lines]
    words = sum(map(len, walks))
    wall, cpu = time.perf_counter(), time.process_time()
    model = Word2Vec(
        walks, vector_size=200, window=10, sg=1, hs=1, negative=0, sample=0, min_count=0, epochs=1, workers=1, seed=1,
        alpha=float(sys.argv[3]),
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    rows = np.stack([model.wv[str(v)] for v in range(len(model.wv))]).astype("<f4")
    np.save(sys.argv[2], rows)
    print(f"{wall:.4f} {cpu:.4f} {megabytes} {words / cpu / 1e3:.0f}")


main()
