#!/usr/bin/python3
"""Compares EVALUATE LABELS with scikit-learn on the same vectors.

    .ci/peers/labels.py blogcatalog.csv.gz blogcatalog-labels.csv.gz 'deepwalk(dim := 128, walks := 80)'
    .ci/peers/labels.py cora.txt cora-labels.txt dp_spectral

embeds a graph of ../shared/data or $HEAVYTAIL_DATA by a method, and predicts the labels by one-vs-rest logistic
regressions on standardised features, with the same penalty and as many random splits on both sides (the splits
themselves differ). Every vertex gets as many labels as it has. Prints micro- and macro-F1 of both, of
scikit-learn on plain features as well, which is the protocol of DeepWalk's authors, and of ours with a penalty
chosen on the training vertices. The exit code is 1 if a mean of ours with the same penalty is farther than
four standard errors and 0.003 from scikit-learn's. Needs python3-sklearn.
"""
import csv
import gzip
import io
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("HEAVYTAIL_DATA", ROOT.parent / "shared" / "data"))
FRACTIONS = [0.1, 0.5, 0.9]
SEEDS = int(os.environ.get("SEEDS", "5"))
PENALTY = 10.0


def heavytail(binary, file, statements):
    """The tables that statements print, as lists of dictionaries."""
    out = subprocess.run(
        [binary, "exec", file, "--format", "csv", "-c", statements], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout
    return list(csv.DictReader(io.StringIO(out)))


def ours(binary, file, penalty):
    began = time.perf_counter()
    rows = heavytail(
        binary,
        file,
        f"EVALUATE LABELS 'labels' OF e WITH (separator := ',', penalty := {penalty}, seeds := {SEEDS}, "
        f"fractions := '{','.join(map(str, FRACTIONS))}')",
    )
    scores = []
    for r in rows:
        micro = (float(r["micro_f1"]), float(r["micro_f1_deviation"] or "nan"))
        scores.append((micro, (float(r["macro_f1"]), float(r["macro_f1_deviation"] or "nan"))))
    return scores, time.perf_counter() - began


def theirs(x, y, counts, standard):
    began = time.perf_counter()
    random = np.random.RandomState(1)
    scores = []
    for fraction in FRACTIONS:
        micro, macro = [], []
        for _ in range(SEEDS):
            order = random.permutation(len(x))
            train, test = np.split(order, [int(fraction * len(x))])
            scaler = StandardScaler(with_mean=standard, with_std=standard).fit(x[train])
            c = 1 / PENALTY if standard else 1.0
            model = OneVsRestClassifier(LogisticRegression(C=c, solver="lbfgs" if standard else "liblinear", max_iter=500))
            model.fit(scaler.transform(x[train]), y[train])
            probability = model.predict_proba(scaler.transform(x[test]))
            given = np.zeros_like(y[test])
            for row, p, k in zip(given, probability, counts[test]):
                row[np.argsort(-p, kind="stable")[:k]] = 1
            micro.append(f1_score(y[test], given, average="micro"))
            macro.append(f1_score(y[test], given, average="macro", zero_division=0))
        scores.append(tuple((statistics.mean(s), statistics.stdev(s)) for s in (micro, macro)))
    return scores, time.perf_counter() - began


def main():
    graph, labels, method = (sys.argv[1:] + ["dp_spectral"])[:3]
    warnings.filterwarnings("ignore")
    with tempfile.TemporaryDirectory() as work:
        binary, file = f"{work}/heavytail", f"{work}/labels.ht"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)
        heavytail(
            binary,
            file,
            f"IMPORT '{DATA / graph}' INTO g; IMPORT VERTICES '{DATA / labels}' INTO g WITH (columns := 'labels', join := ',');"
            f"EMBED g USING {method} AS e; EXPORT EMBEDDING e INTO FILE '{work}/e.txt';",
        )
        same, took = ours(binary, file, PENALTY)
        chosen, tookChosen = ours(binary, file, 0)
        with open(f"{work}/e.txt", encoding="utf-8") as lines:
            next(lines)
            rows = [line.split() for line in lines]
    place = {r[0]: i for i, r in enumerate(rows)}
    own = [set() for _ in rows]
    text = gzip.open(DATA / labels, "rt") if labels.endswith(".gz") else open(DATA / labels, encoding="utf-8")
    with text as lines:
        for vertex, label in (re.split(r"[,\s]+", line.strip()) for line in lines):
            if vertex in place:
                own[place[vertex]].add(label)
    names = sorted(set().union(*own))
    known = [i for i, o in enumerate(own) if o]
    x = np.array([rows[i][1:] for i in known], dtype=np.float64)
    y = np.array([[name in own[i] for name in names] for i in known], dtype=int)
    standard, tookStandard = theirs(x, y, y.sum(1), True)
    plain, tookPlain = theirs(x, y, y.sum(1), False)

    apart = False
    for i, fraction in enumerate(FRACTIONS):
        for j, measure in enumerate(("micro", "macro")):
            (a, da), (b, db) = same[i][j], standard[i][j]
            far = abs(a - b) > 4 * math.hypot(da, db) / math.sqrt(SEEDS) + 0.003
            apart |= far
            print(
                f"{fraction} {measure}-F1: ours {a:.4f} ± {da:.4f}, scikit-learn {b:.4f} ± {db:.4f}{' APART' if far else ''}; "
                f"penalty chosen {chosen[i][j][0]:.4f}, scikit-learn on plain features {plain[i][j][0]:.4f}"
            )
    print(f"seconds: ours {took:.1f}, with the choice {tookChosen:.1f}, scikit-learn {tookStandard:.1f}, plain {tookPlain:.1f}")
    sys.exit(int(apart))


main()
