#!/usr/bin/python3
"""Computes every figure of EVALUATE TEST with numpy, on a split of a graph that is made here.

    .ci/peers/tables.py cora.txt

A tenth of the edges is the test, with a shared list of other pairs and with a list for each edge. Heuristics are computed
here from the powers of the adjacency matrix; the scores of an embedding and of a model come from SCORE FILE. The exit
code is 1 if a figure differs. Needs python3-numpy.
"""
import csv
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("HEAVYTAIL_DATA", ROOT.parent / "shared" / "data"))
OWN, SHARED, HITS = 40, 3000, [1, 3, 10, 100]


def heuristics(n, train):
    a = np.zeros((n, n))
    a[train[:, 0], train[:, 1]] = a[train[:, 1], train[:, 0]] = 1
    degree = a.sum(1)
    part = lambda power: np.where(degree > 0, np.maximum(degree, 1) ** power, 0)
    logs = np.where(degree > 1, 1 / np.log(np.maximum(degree, 2)), 0)
    two = a @ a
    three = two @ a
    root = part(-0.5)
    return {
        "common_neighbors": two,
        "adamic_adar": a * logs @ a,
        "resource_allocation": a * part(-1.0) @ a,
        "jaccard": two / np.maximum(degree[:, None] + degree - two, 1),
        "preferential_attachment": np.outer(degree, degree),
        "katz": 0.0025 * two + 0.000125 * three,
        "local_path": two + 0.001 * three,
        "l3": (a * root) @ (a * root) @ a,
    }


def figures(edges, others, own):
    """MRR, hits, AUC and average precision. Scores that differ by rounding are equal."""
    edges, others = (np.array([float(f"{x:.10g}") for x in list]) for list in (edges, others))
    lists = others.reshape(len(edges), -1) if own else np.broadcast_to(others, (len(edges), len(others)))
    best = 1 + (lists > edges[:, None]).sum(1)
    worst = 1 + (lists >= edges[:, None]).sum(1)
    rank = (best + worst) / 2
    of = {"mrr": (1 / rank).mean()}
    for k in HITS:
        hit = rank <= k if own else edges > np.sort(others)[-k]
        of[f"hits_{k}"] = hit.mean() if k <= lists.shape[1] else float("nan")
    ordered, positive = np.sort(others), np.sort(edges)
    below, upto = np.searchsorted(ordered, edges, "left"), np.searchsorted(ordered, edges, "right")
    of["auc"] = ((below + upto) / 2 / len(others)).mean()
    found = len(edges) - np.searchsorted(positive, edges, "left")
    of["average_precision"] = (found / (found + len(others) - below)).mean()
    return of


def main():
    path = DATA / (sys.argv[1:] + ["cora.txt"])[0]
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines:
        pairs = {tuple(sorted(map(int, line.split()[:2]))) for line in lines if line[0] not in "#%"}
    pairs = np.array(sorted(p for p in pairs if p[0] != p[1]))
    keys, pairs = np.unique(pairs, return_inverse=True)
    n, pairs = len(keys), pairs.reshape(-1, 2)
    random = np.random.default_rng(11)
    random.shuffle(pairs)
    test, train = pairs[: len(pairs) // 10], pairs[len(pairs) // 10 :]
    linked = {tuple(p) for p in pairs}

    def draw(source=None):
        while True:
            u, v = random.integers(n, size=2) if source is None else (source, random.integers(n))
            if u != v and (min(u, v), max(u, v)) not in linked:
                return u, v

    lists = {
        "shared": [draw() for _ in range(SHARED)],
        "own": [draw(e[i % 2]) for e in test for i in range(OWN)],
    }
    worst, compared = 0.0, 0
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/heavytail"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)

        def write(name, rows):
            with open(f"{work}/{name}.csv", "w", encoding="utf-8") as out:
                out.writelines(",".join(map(str, row)) + "\n" for row in rows)

        def run(statements):
            subprocess.run([binary, "exec", f"{work}/g.ht", "-c", statements], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def table(name):
            with open(f"{work}/{name}.csv", encoding="utf-8", newline="") as lines:
                return list(csv.DictReader(lines))

        write("train", keys[train])
        write("test", keys[test])
        write("vertices", [["id"]] + [[k] for k in keys])
        for name, of in lists.items():
            write(name, keys[np.array(of)])
        read = "l2(e), cosine(e), model(m)"
        run(
            f"IMPORT '{work}/train.csv' INTO g; IMPORT VERTICES '{work}/vertices.csv' INTO g; EMBED g USING prone(dim := 32) AS e; TRAIN MODEL m IN g;"
            + "".join(f"SCORE FILE '{work}/{name}.csv' IN g WITH {read} INTO FILE '{work}/scores-{name}.csv';" for name in ["test", *lists])
            + "".join(
                f"EVALUATE TEST FILE '{work}/test.csv' AGAINST FILE '{work}/{name}.csv' IN g WITH {', '.join(heuristics(1, np.zeros((0, 2), int)))}, {read} "
                f"WITH (own := {name == 'own'}, hits := '{','.join(map(str, HITS))}') INTO FILE '{work}/printed-{name}.csv';"
                for name in lists
            )
        )
        known = heuristics(n, train)
        for name, of in lists.items():
            scores = {}
            for scorer, matrix in known.items():
                scores[scorer] = [matrix[u, v] for u, v in test], [matrix[u, v] for u, v in of]
            for scorer in read.split(", "):
                sign = -1 if scorer.startswith("l2") else 1
                scores[scorer] = tuple([sign * float(r[scorer]) for r in table(f"scores-{file}")] for file in ("test", name))
            for row in table(f"printed-{name}"):
                for figure, want in figures(*scores[row["scorer"]], name == "own").items():
                    got = float(row[figure] or "nan")
                    compared += 1
                    if np.isnan(got) and np.isnan(want):
                        continue
                    tolerance = 1e-4 if row["scorer"] in ("l3", "adamic_adar", "resource_allocation", "model(m)") else 1e-8  # rounding can order equal sums, which a model has
                    worst = max(worst, abs(got - want) / tolerance)
                    if not abs(got - want) < tolerance:
                        print(f"{name} {row['scorer']} {figure}: {got} printed, {want} here")
    print(f"{compared} figures, the largest difference {worst:.2g} of what is allowed")
    sys.exit(int(not worst < 1))


main()
