#!/usr/bin/python3
"""scipy's side: the 200 largest eigenpairs by ARPACK on a matrix-free operator.

    spectral.py FOLDER METHOD

reads offsets.npy and targets.npy in FOLDER, solves for METHOD (le, degree with
beta 0.5, strength with beta 2), writes the eigenvalues to METHOD.scipy.txt and
prints "seconds CPU-seconds megabytes largest-residual". The residual is that of
the solver's own vectors, relative to the largest eigenvalue.
"""
import os

for library in "OMP", "OPENBLAS":  # read when numpy is imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import resource
import sys
import time

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

DIM, TOLERANCE = 200, 1e-4


def operator(graph, method):
    """Returns x -> N x as a LinearOperator."""
    degree = np.asarray(graph.sum(axis=1)).ravel()
    if method == "le":
        s = degree**-0.5

        def product(x):
            return s * (graph @ (s * x))

    else:

        def common(y):  # (A'A - diag(A'A) + A) y, by two sparse products
            once = graph @ y
            return graph @ once - degree * y + once

        if method == "degree":
            s = degree ** (-0.5 - 0.5)
        elif method == "strength":
            penalty = degree**-2.0
            s = np.sqrt(penalty / common(penalty))
        else:
            sys.exit(f"no method {method}")

        def product(x):
            return s * common(s * x)

    return scipy.sparse.linalg.LinearOperator(graph.shape, matvec=product, dtype=np.float64)


def main():
    folder, method = sys.argv[1:]
    offsets = np.load(f"{folder}/offsets.npy")
    targets = np.load(f"{folder}/targets.npy").astype(np.int32)
    n = len(offsets) - 1
    graph = scipy.sparse.csr_matrix((np.ones(len(targets)), targets, offsets), shape=(n, n))
    wall, cpu = time.perf_counter(), time.process_time()
    matrix = operator(graph, method)
    start = np.random.default_rng(1).standard_normal(n)
    values, vectors = scipy.sparse.linalg.eigsh(
        matrix, k=min(DIM, n - 1), which="LA", tol=TOLERANCE, v0=start
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    worst = max(np.linalg.norm(matrix @ t - value * t) for value, t in zip(values, vectors.T))
    print(f"{wall:.4f} {cpu:.4f} {megabytes} {worst / values.max():.1e}")
    np.savetxt(f"{folder}/{method}.scipy.txt", np.sort(values)[::-1], fmt="%.17g")


main()
