#!/usr/bin/python3
"""Compares COMPUTE with networkx and igraph on the same graphs.

    .ci/peers/measures.py ca-GrQc ego-facebook
    TIMES=yes .ci/peers/measures.py ego-twitter

imports graphs of ../shared/data or $HEAVYTAIL_DATA, exports them for the peers, and compares the values of every
vertex: PageRank to 1e-9; cores, components, triangles and eccentricities exactly; clustering, eigenvector, harmonic
closeness and betweenness to 1e-6 of the largest value. networkx judges what takes it seconds, igraph the rest. The
modularity of community, a mean of SEEDS seeds (5), must not be more than 0.005 below that of igraph's Leiden, and its
quality by the constant Potts model not more than 0.5 % below.
TIMES=yes prints the processor time of both with one worker; it is not judged. The exit code is 1 where a comparison
fails. Needs python3-networkx and python3-igraph.
"""
import collections
import csv
import io
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import igraph
import networkx

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("HEAVYTAIL_DATA", ROOT.parent / "shared" / "data"))
SEEDS = int(os.environ.get("SEEDS", "5"))
TIMES = os.environ.get("TIMES", "") == "yes"
REPEATS = 10  # of a measure whose time is taken
SMALL = 6000  # vertices up to which paths between all pairs are compared
failed = False


def heavytail(binary, file, statements, workers=None):
    """The rows that statements print."""
    env = dict(os.environ, GOMAXPROCS=str(workers)) if workers else None
    out = subprocess.run(
        [binary, "exec", file, "--format", "csv", "-c", statements],
        check=True, text=True, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ).stdout
    return list(csv.reader(io.StringIO(out)))[1:]


class Ours:
    def __init__(self, binary, file):
        self.binary, self.file = binary, file

    def values(self, measure):
        return {key: float(value) for key, value in heavytail(self.binary, self.file, f"COMPUTE {measure} IN g")}

    def processor(self, measure):
        """Processor seconds of a process that computes degree, and a measure ten times."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        statements = ["COMPUTE degree IN g"] + REPEATS * [f"COMPUTE {measure} IN g"]
        heavytail(self.binary, self.file, "; ".join(statements), workers=1)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def seconds(self, measure):
        """Processor seconds of a measure alone: without those of the rows, which degree has, too."""
        return (self.processor(measure) - self.processor("degree")) / REPEATS


def report(graph, what, ok, detail):
    global failed
    failed = failed or not ok
    print(f"{graph:16} {what:14} {'ok' if ok else 'FAILS':6} {detail}", flush=True)


def compare(graph, what, got, want, tolerance, relative=True):
    """Compares two values of every vertex."""
    largest = max(map(abs, want.values()), default=1.0) if relative else 1.0
    worst = max((abs(got[v] - w) for v, w in want.items()), default=0.0)
    report(graph, what, got.keys() == want.keys() and worst <= tolerance * largest, f"largest difference {worst:.2g}")


def by_networkx(graph, ours, edges, keys):
    g = networkx.Graph()
    g.add_nodes_from(keys)
    g.add_edges_from(edges)
    compare(graph, "pagerank", ours.values("pagerank"), networkx.pagerank(g, tol=1e-13, max_iter=5000), 1e-9, False)
    compare(graph, "core", ours.values("core"), networkx.core_number(g), 0)
    compare(graph, "triangles", ours.values("triangles"), networkx.triangles(g), 0)
    compare(graph, "clustering", ours.values("clustering"), networkx.clustering(g), 1e-12)


def by_igraph(graph, ours, g, keys):
    def named(values):
        return dict(zip(keys, values))

    compare(graph, "pagerank", ours.values("pagerank"), named(g.pagerank(damping=0.85)), 1e-9, False)
    compare(graph, "core", ours.values("core"), named(g.coreness()), 0)
    label, parts = ours.values("component"), g.connected_components().membership
    pairs = {(label[v], p) for v, p in zip(keys, parts)}
    report(graph, "component", len(pairs) == len(set(parts)) == len(set(label.values())), f"{len(pairs)} components")
    vector = ours.values("eigenvector")
    top = max(vector.values())
    compare(graph, "eigenvector", {v: x / top for v, x in vector.items()}, named(g.eigenvector_centrality(scale=True)), 1e-6)
    if len(keys) > SMALL:
        return
    compare(graph, "eccentricity", ours.values("eccentricity"), named(g.eccentricity()), 0)
    harmonic = [0.0 if x != x else x * (len(keys) - 1) for x in g.harmonic_centrality()]
    compare(graph, "harmonic", ours.values("harmonic"), named(harmonic), 1e-6)
    compare(graph, "betweenness", ours.values("betweenness"), named(g.betweenness()), 1e-6)


def by_modularity(graph, ours, g, keys):
    mine, theirs = [], []
    for seed in range(SEEDS):
        label = ours.values(f"community(seed := {seed})")
        mine.append(g.modularity([int(label[v]) for v in keys]))
        random.seed(seed)
        theirs.append(g.community_leiden(objective_function="modularity", n_iterations=-1).modularity)
    means = statistics.mean(mine), statistics.mean(theirs)
    report(graph, "community", means[0] >= means[1] - 0.005, f"modularity {means[0]:.4f}, igraph {means[1]:.4f}")


def by_potts(graph, ours, g, keys):
    """The quality of the constant Potts model, which counts edges inside less resolution times pairs inside."""
    resolution = 0.05

    def quality(label):
        inside = sum(label[e.source] == label[e.target] for e in g.es)
        return inside - resolution * sum(n * (n - 1) / 2 for n in collections.Counter(label).values())

    mine, theirs = [], []
    for seed in range(SEEDS):
        label = ours.values(f"community(quality := 'cpm', resolution := {resolution}, seed := {seed})")
        mine.append(quality([label[v] for v in keys]))
        random.seed(seed)
        theirs.append(quality(g.community_leiden(objective_function="CPM", resolution_parameter=resolution, n_iterations=-1).membership))
    means = statistics.mean(mine), statistics.mean(theirs)
    report(graph, "community cpm", means[0] >= 0.995 * means[1], f"quality {means[0]:.1f}, igraph {means[1]:.1f}")


def times(graph, ours, g):
    peers = {
        "pagerank": lambda: g.pagerank(damping=0.85),
        "core": g.coreness,
        "component": g.connected_components,
        "clustering": lambda: g.transitivity_local_undirected(mode="zero"),
        "eigenvector": g.eigenvector_centrality,
        "community(iterations := 2)": lambda: g.community_leiden(objective_function="modularity", n_iterations=2),
    }
    if g.vcount() <= SMALL:
        peers["betweenness"] = g.betweenness
    for measure, peer in peers.items():
        began = time.process_time()
        peer()
        took, own = time.process_time() - began, ours.seconds(measure)
        print(f"{graph:16} {measure:28} {own:8.3f} s, igraph {took:8.3f} s, ratio {own / took:.2f}", flush=True)


def graph_of(binary, work, name):
    path = next(p for p in sorted(DATA.glob(name + ".*")) if "labels" not in p.name)
    ours = Ours(binary, f"{work}/{name}.ht")
    text = f"{work}/{name}.csv"
    heavytail(binary, ours.file, f"IMPORT '{path}' INTO g; EXPORT GRAPH g INTO FILE '{text}'")
    keys = [row[0] for row in heavytail(binary, ours.file, "SHOW VERTICES IN g")]
    with open(text, encoding="utf-8") as lines:
        edges = [tuple(row[:2]) for row in csv.reader(lines)][1:]
    return ours, keys, edges


def main():
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/heavytail"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)
        for name in sys.argv[1:] or ["ca-GrQc"]:
            ours, keys, edges = graph_of(binary, work, name)
            number = {key: i for i, key in enumerate(keys)}
            g = igraph.Graph(len(keys), [(number[a], number[b]) for a, b in edges])
            if TIMES:
                times(name, ours, g)
                continue
            if len(keys) <= SMALL:
                by_networkx(name, ours, edges, keys)
            by_igraph(name, ours, g, keys)
            by_modularity(name, ours, g, keys)
            by_potts(name, ours, g, keys)
    sys.exit(1 if failed else 0)


main()
