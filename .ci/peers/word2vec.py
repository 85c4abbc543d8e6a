#!/usr/bin/python3
"""The side of word2vec.c: skip-gram with hierarchical softmax on given walks.

    word2vec.py PROGRAM WALKS VECTORS ALPHA

trains as skipgram.py does, writes a matrix with a row for each vertex and prints
"seconds CPU-seconds megabytes thousand-words-per-CPU-second". The program reads the
walks while it trains, so the time includes reading.
"""
import resource
import subprocess
import sys
import time

import numpy as np

DIM = 200


def vectors(path):
    """Reads "words dim\\n" and then, for each word, its name, a space and its values."""
    with open(path, "rb") as file:
        count = int(file.readline().split()[0])
        rows = {}
        for _ in range(count):
            name = b""
            while (byte := file.read(1)) != b" ":
                name += byte
            row = np.frombuffer(file.read(4 * DIM), "<f4")
            file.read(1)
            if name != b"</s>":
                rows[int(name)] = row
    return np.stack([rows[v] for v in range(len(rows))])


def main():
    program, walks, out, alpha = sys.argv[1:]
    with open(walks, encoding="utf-8") as lines:
        words = sum(line.count(" ") + 1 for line in lines)
    options = f"-size {DIM} -window 10 -cbow 0 -hs 1 -negative 0 -sample 0 -min-count 0 -iter 1 -threads 1"
    options += f" -alpha {alpha} -binary 1 -debug 0"
    wall = time.perf_counter()
    command = [program, "-train", walks, "-output", out + ".bin", *options.split()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - wall
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    np.save(out, vectors(out + ".bin"))
    print(f"{wall:.4f} {cpu:.4f} {used.ru_maxrss >> 10} {words / cpu / 1e3:.0f}")


main()
