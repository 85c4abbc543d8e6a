#!/usr/bin/python3
"""Computes every figure of EVALUATE LINKS from the file of EXPORT PAIRS, with numpy.

    .ci/peers/pairs.py ca-GrQc.txt.gz 'dp_spectral(dim := 32), deepwalk(dim := 32)'

imports a graph of ../shared/data or $HEAVYTAIL_DATA, evaluates links by each kind of negatives and by ranking, exports
the pairs of the same evaluations, and compares: all measures to the digits that are printed, and the ends of bootstrap
intervals, whose random numbers differ, to a fifth of the width and one vertex. If scikit-learn is installed, its roc_auc_score and
average_precision_score must agree as well. The exit code is 1 if a figure differs. Needs python3-numpy.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

try:
    from sklearn.metrics import average_precision_score, roc_auc_score
except ImportError:
    roc_auc_score = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("HEAVYTAIL_DATA", ROOT.parent / "shared" / "data"))
HITS, RANKING, VERTICES = 100, 10, 300
worst, compared = 0.0, 0


def expect(what, got, want, tolerance=1e-9):
    """Compares a figure with a printed one, which is empty where it is not defined."""
    global worst, compared
    want = float(want) if want else float("nan")
    if np.isnan(got) and np.isnan(want):
        return
    compared += 1
    off = abs(got - want) / max(tolerance, 1e-300)
    worst = max(worst, np.inf if np.isnan(off) else off)  # one of them is not defined
    if not off <= 1:
        print(f"{what}: {got} here, {want} printed")


def steps(label, score):
    """Of each distinct score, the highest first: the score, and the positives and all pairs that have it."""
    values, inverse = np.unique(-score, return_inverse=True)
    return -values, np.bincount(inverse, label, len(values)), np.bincount(inverse, minlength=len(values))


def auc(label, score):
    _, found, seen = steps(label, score)
    other = seen - found
    return float((found * (other.sum() - other.cumsum() + other / 2)).sum() / found.sum() / other.sum())


def average_precision(label, score):
    _, found, seen = steps(label, score)
    return float((found * found.cumsum() / seen.cumsum()).sum() / found.sum())


def threshold(label, score):
    values, found, seen = steps(label, score)
    f1 = 2 * found.cumsum() / (seen.cumsum() + found.sum())
    return values[np.argmax(f1)]


def check_pairs(printed, pairs):
    by = {(r["negatives"], r["part"]): [] for r in pairs}
    for r in pairs:
        by[r["negatives"], r["part"]].append(r)
    for row in printed:
        method = row["method"].split("(")[0]
        column = (method + "." if method else "") + row["scorer"]

        def of(part):
            rows = by[row["negatives"], part]
            score = np.array([float(r[column] or "-inf") for r in rows])
            return np.array([int(r["label"]) for r in rows]), score

        what = f"{row['negatives']} {column}"
        label, score = of("held_out")
        expect(what + " auc", auc(label, score), row["auc"])
        expect(what + " average_precision", average_precision(label, score), row["average_precision"])
        if roc_auc_score and np.isfinite(score).all():
            expect(what + " auc of scikit-learn", roc_auc_score(label, score), row["auc"])
            expect(what + " average_precision of scikit-learn", average_precision_score(label, score), row["average_precision"])
        chosen = score >= threshold(*of("training"))
        right = int(label[chosen].sum())
        divides = chosen.any() and not chosen.all()  # a threshold with all pairs on one side decides nothing
        for name, got in {
            "precision": lambda: right / chosen.sum(),
            "recall": lambda: right / label.sum(),
            "f1": lambda: 2 * right / (chosen.sum() + label.sum()),
        }.items():
            expect(f"{what} {name}", got() if divides else float("nan"), row[name])
        others = np.sort(score[label == 0])
        above = (score[label == 1] > others[-HITS]).mean() if len(others) >= HITS else float("nan")
        expect(what + " hits", above, row["hits"])


def measures(rows):
    """Recall, precision, average precision, NDCG, reciprocal rank and hit of the rows of one vertex."""
    held = sum(int(r["label"]) for r in rows)
    ranks = np.array(sorted(int(r["rank"]) for r in rows if r["rank"] and r["label"] == "1"))
    most = min(held, RANKING)
    return [
        len(ranks) / held, len(ranks) / RANKING, (np.arange(1, len(ranks) + 1) / ranks).sum() / most if len(ranks) else 0.0,
        (1 / np.log2(1 + ranks)).sum() / (1 / np.log2(1 + np.arange(1, most + 1))).sum() if len(ranks) else 0.0,
        1 / ranks[0] if len(ranks) else 0.0, float(len(ranks) > 0),
    ]  # fmt: skip


def check_rankings(printed, recommended, vertices):
    lists = {}
    for r in recommended:
        lists.setdefault((r["method"], r["scorer"]), {}).setdefault(r["u"], []).append(r)
    values = {key: np.array([measures(rows) for rows in by.values()]) for key, by in lists.items()}
    best = max(values.values(), key=lambda v: v[:, 2].mean())
    random = np.random.default_rng(1)
    draws = random.integers(0, len(best), (1000, len(best)))
    for row in printed:
        key = row["method"], row["scorer"]
        of, what = values[key], " ".join(key)
        for i, name in enumerate(["recall", "precision", "map", "ndcg", "mrr", "hit_rate"]):
            expect(f"{what} {name}", of[:, i].mean(), row[name])
        behind = best[:, 2] - of[:, 2]
        expect(what + " behind", behind.mean(), row["behind"])
        for name, column in {"recall": of[:, 0], "map": of[:, 2], "ndcg": of[:, 3], "behind": behind}.items():
            low, high = np.percentile(column[draws].mean(1), [2.5, 97.5])
            expect(f"{what} {name}_low", low, row[name + "_low"], (high - low) / 5 + 1 / len(best))
            expect(f"{what} {name}_high", high, row[name + "_high"], (high - low) / 5 + 1 / len(best))
        given = [r for rows in lists[key].values() for r in rows if r["rank"]]
        expect(what + " coverage", len({r["v"] for r in given}) / vertices, row["coverage"])
        expect(what + " popular", np.mean([int(r["popular"]) for r in given]) if given else float("nan"), row["popular"])


def main():
    graph, methods = (sys.argv[1:] + ["dp_spectral(dim := 32)"])[:2]
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/heavytail"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)

        def run(statements):
            subprocess.run([binary, "exec", f"{work}/g.ht", "-c", statements], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def table(name):
            with open(f"{work}/{name}", encoding="utf-8", newline="") as lines:
                return list(csv.DictReader(lines))

        run(f"IMPORT '{DATA / graph}' INTO g; DESCRIBE GRAPH g ALL INTO FILE '{work}/graph.csv'")
        vertices = {r["property"]: r["value"] for r in table("graph.csv")}["vertices"]
        for name, options in (("pairs", "negatives := 'random, degree, two_hop'"), ("ranks", f"ranking := {RANKING}, vertices := {VERTICES}")):
            run(
                f"EVALUATE LINKS IN g USING {methods} WITH ({options}, seed := 3) INTO FILE '{work}/{name}.csv';"
                f"EXPORT PAIRS OF g USING {methods} INTO FILE '{work}/{name}-all.csv' WITH ({options}, seed := 3)"
            )
        check_pairs(table("pairs.csv"), table("pairs-all.csv"))
        check_rankings(table("ranks.csv"), table("ranks-all.csv"), int(vertices))
    print(f"{compared} figures, the largest difference {worst:.2g} of what is allowed, {'with' if roc_auc_score else 'without'} scikit-learn")
    sys.exit(int(not worst <= 1))


main()
