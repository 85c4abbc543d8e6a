#!/usr/bin/python3
"""Compares heavytail's measures of directed graphs with networkx and igraph:

    .ci/peers/directed.py
    .ci/peers/directed.py soc-Epinions1 cycles
    TIMES=yes .ci/peers/directed.py soc-Epinions1 ego-twitter

A graph is a directed file of ../shared/data or $HEAVYTAIL_DATA, or one of GENERATED below; without names, the
ten graphs of TEN. ego-twitter is published without directions: it gets random ones, and both for 0.317 of its
edges, as in the original. The values of every vertex are compared: PageRank to 1e-9; degrees, components and
eccentricities exactly; strength to 1e-12; hubs, authorities, katz, closeness, harmonic closeness and
betweenness to 1e-6 of the largest value; the modularity of communities by igraph's, to the digits that are
shown, and it must not be more than 0.005 below that of igraph's Leiden on the undirected view; the lengths
of the five shortest paths between some pairs, and the weight of a spanning forest.
TIMES=yes prints the processor time of PageRank with one worker, the best of some rounds, and checks that it
is at most a third of that of igraph. The exit code is 1 if a comparison fails. Needs python3-networkx and
python3-igraph.
"""
import gzip
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import igraph
import networkx
import numpy

import measures
from measures import DATA, ROOT, SMALL, TIMES, compare, report

ROUNDS = 7
PATHS = 5


class Graph:
    """A directed graph in heavytail, networkx and igraph, whose vertices have the same order."""

    def __init__(self, binary, work, name, n, arcs):
        self.ours = measures.Ours(binary, f"{work}/{name}.ht")
        self.weighted = any(w != 1 for _, _, w in arcs)
        names = sorted({v for arc in arcs for v in arc[:2]} | set(range(n)))
        place = {v: i for i, v in enumerate(names, start=1)}
        path = f"{work}/{name}.net"
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"*Vertices {len(names)}\n")
            out.writelines(f'{i} "{v}"\n' for v, i in place.items())
            out.write("*Arcs\n")
            out.writelines(f"{place[a]} {place[b]} {w}\n" if self.weighted else f"{place[a]} {place[b]}\n" for a, b, w in arcs)
        measures.heavytail(binary, self.ours.file, f"IMPORT '{path}' INTO g")
        self.keys = [row[0] for row in measures.heavytail(binary, self.ours.file, "SHOW VERTICES IN g")]
        number = {int(key): i for i, key in enumerate(self.keys)}
        self.igraph = igraph.Graph(len(number), [(number[a], number[b]) for a, b, _ in arcs], directed=True)
        self.igraph.es["weight"] = [w for _, _, w in arcs]
        self.networkx = networkx.DiGraph()
        self.networkx.add_nodes_from(self.keys)
        self.networkx.add_weighted_edges_from((str(a), str(b), w) for a, b, w in arcs)

    def named(self, values):
        return dict(zip(self.keys, values))

    def weightings(self):
        yield None, "FALSE", ""
        if self.weighted:
            yield "weight", "TRUE", " weighted"


def by_structure(name, g):
    values, i = g.ours.values, g.igraph
    for side, mode in ("in", "in"), ("out", "out"):
        compare(name, side + "_degree", values(side + "_degree"), g.named(i.degree(mode=mode)), 0)
        compare(name, side + "_strength", values(side + "_strength"), g.named(i.strength(mode=mode, weights="weight")), 1e-12)
    for measure, mode in ("component", "weak"), ("strong_component", "strong"):
        label, parts = values(measure), i.connected_components(mode=mode).membership
        pairs = {(label[v], p) for v, p in zip(g.keys, parts)}
        report(name, measure, len(pairs) == len(set(parts)) == len(set(label.values())), f"{len(pairs)} components")


def by_walks(name, g):
    values, n, i = g.ours.values, g.networkx, g.igraph
    some = dict.fromkeys(g.keys[:3], 1)
    for weight, on, suffix in g.weightings():
        call = f"pagerank(weighted := {on})"
        compare(name, "pagerank igraph" + suffix, values(call), g.named(i.pagerank(damping=0.85, weights=weight)), 1e-9, False)
        if len(g.keys) > SMALL:
            continue
        kept = {"tol": 1e-14, "max_iter": 5000, "weight": weight}
        compare(name, "pagerank" + suffix, values(call), networkx.pagerank(n, **kept), 1e-9, False)
        compare(name, "pagerank from" + suffix, values(call, some), networkx.pagerank(n, personalization=some, **kept), 1e-9, False)
        back = networkx.pagerank(n.reverse(), **kept)
        compare(name, "pagerank out" + suffix, values(f"pagerank(weighted := {on}, direction := 'out')"), back, 1e-9, False)
        by_katz(name, g, weight, on, suffix)
        if unique_hubs(n, weight):
            hubs, authorities = networkx.hits(weightless(n) if weight is None else n, max_iter=1000, tol=1e-12)
            compare(name, "hub" + suffix, values(f"hub(weighted := {on})"), hubs, 1e-6)
            compare(name, "authority" + suffix, values(f"authority(weighted := {on})"), authorities, 1e-6)


def unique_hubs(n, weight):
    """Whether the largest singular value is single, so that hubs and authorities are unique."""
    values = numpy.linalg.svd(networkx.to_numpy_array(n, weight=weight), compute_uv=False)
    return values[1] < (1 - 1e-6) * values[0]


def weightless(n):
    plain = networkx.DiGraph()
    plain.add_nodes_from(n)
    plain.add_edges_from(n.edges())
    return plain


def by_katz(name, g, weight, on, suffix):
    """networkx stops at a difference per vertex; alpha is small enough for its series to converge."""
    for direction, n in ("in", g.networkx), ("out", g.networkx.reverse()):
        largest = max(dict(n.in_degree(weight=weight)).values())
        alpha = 0.5 / largest if largest else 0.5
        want = networkx.katz_centrality(n, alpha=alpha, tol=1e-12, max_iter=5000, weight=weight)
        got = g.ours.values(f"katz(alpha := {alpha:.17f}, weighted := {on}, direction := '{direction}')")
        compare(name, f"katz {direction}{suffix}", got, want, 1e-6)


def by_distances(name, g):
    values, n, i = g.ours.values, g.networkx, g.igraph
    for weight, on, suffix in g.weightings():
        want = g.named(i.betweenness(weights=weight, directed=True))
        compare(name, "betweenness" + suffix, values(f"betweenness(weighted := {on})"), want, 1e-6)
        for direction, side in ("in", n), ("out", n.reverse()):
            call = f"(weighted := {on}, direction := '{direction}')"
            near = [0.0 if x != x else x * (len(g.keys) - 1) for x in i.harmonic_centrality(mode=direction, weights=weight)]
            compare(name, f"harmonic {direction}{suffix}", values("harmonic" + call), g.named(near), 1e-6)
            if len(g.keys) <= 2000:
                want = networkx.closeness_centrality(side, distance=weight)
                compare(name, f"closeness {direction}{suffix}", values("closeness" + call), want, 1e-6)
    for direction in "out", "in":
        compare(name, "eccentricity " + direction, values(f"eccentricity(direction := '{direction}')"), g.named(i.eccentricity(mode=direction)), 0)


def by_modularity(name, g):
    for weight, on, suffix in g.weightings():
        run = subprocess.run(
            [g.ours.binary, "exec", g.ours.file, "--format", "csv", "-c", f"COMPUTE community(weighted := {on}) IN g"],
            check=True, text=True, capture_output=True,
        )
        label = dict(line.split(",") for line in run.stdout.split()[1:])
        shown = float(re.search(r"modularity (-?[\d.]+)", run.stderr)[1])
        exact = g.igraph.modularity([int(label[v]) for v in g.keys], weights=weight, directed=True)
        report(name, "modularity" + suffix, abs(shown - exact) < 0.51e-4, f"{shown}, igraph {exact:.6f}")
        view = g.igraph.as_undirected(mode="collapse", combine_edges="sum")
        random.seed(1)
        theirs = view.community_leiden(objective_function="modularity", weights="weight" if weight else None, n_iterations=-1).membership
        peer = g.igraph.modularity(theirs, weights=weight, directed=True)
        report(name, "community" + suffix, exact >= peer - 0.005, f"modularity {exact:.4f}, of the view {peer:.4f}")


def by_paths(name, g):
    chosen = random.Random(1).choices(g.keys, k=2 * measures.PAIRS)
    pairs = list(zip(chosen[::2], chosen[1::2]))
    for weight, _, suffix in g.weightings():
        by = " BY WEIGHT" if weight else ""
        found = g.ours.tables([f"PATHS {PATHS} FROM '{a}' TO '{b}' IN g{by}" for a, b in pairs])
        wrong = sum(not same_paths(g.networkx, weight, pair, rows) for pair, rows in zip(pairs, found))
        report(name, "paths" + suffix, len(found) == len(pairs) and not wrong, f"{wrong} of {len(pairs)} pairs differ")
    found = measures.heavytail(g.ours.binary, g.ours.file, "CREATE GRAPH f AS SPANNING FOREST OF g; SHOW EDGES IN f")
    rows = found[[len(row) for row in found].index(0) + 2:] if [] in found else []
    weights = [float(row[2]) if len(row) > 2 else 1.0 for row in rows]
    view = g.igraph.copy()
    view.to_undirected(mode="collapse", combine_edges="sum" if g.weighted else "first")
    want = sum(view.spanning_tree(weights=view.es["weight"]).es["weight"])
    report(name, "forest", abs(sum(weights) - want) < 1e-6 * max(1, want), f"weight {sum(weights)}, igraph {want}")


def same_paths(n, weight, pair, rows):
    """Whether the paths are ways of the graph without loops, all different, and as long as those of networkx."""
    if pair[0] == pair[1]:
        return [row[2] for row in rows] == [pair[0]]
    try:
        simple = networkx.shortest_simple_paths(n, *pair, weight=weight)
        want = [networkx.path_weight(n, p, weight) if weight else len(p) - 1 for p in itertools.islice(simple, PATHS)]
    except networkx.NetworkXNoPath:
        return not rows
    ways = [[row for row in rows if row[0] == str(k + 1)] for k in range(len(want))]
    keys = [tuple(row[2] for row in way) for way in ways]
    valid = all(networkx.is_simple_path(n, way) and (way[0], way[-1]) == pair for way in keys)
    return valid and len(set(keys)) == len(keys) and sum(map(len, ways)) == len(rows) and [float(way[-1][3]) for way in ways] == want


def times(name, g):
    theirs = []
    for _ in range(ROUNDS):
        began = time.process_time()
        g.igraph.pagerank(damping=0.85)
        theirs.append(time.process_time() - began)
    ours = min(g.ours.seconds("pagerank") for _ in range(3))
    report(name, "time pagerank", 3 * ours <= min(theirs), f"{ours:.4f} s, igraph {min(theirs):.4f} s, ratio {min(theirs) / ours:.1f}")


def real(name):
    """The arcs of a graph of the data, each once and without loops."""
    path = next(p for p in sorted(DATA.glob(name + ".*")) if "labels" not in p.name)
    text = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with text:
        pairs = dict.fromkeys(tuple(map(int, line.split()[:2])) for line in text if not line.startswith("#"))
    arcs = [(a, b, 1) for a, b in pairs if a != b]
    if name == "ego-twitter":
        r, published, arcs = random.Random(44), arcs, []
        for a, b, w in published:
            x = r.random()
            arcs += [(a, b, w)] * (x < 0.6585) + [(b, a, w)] * (x < 0.317 or x >= 0.6585)
    return 0, arcs


def drawn(n, m, weights=(1,), keep=lambda a, b: a != b):
    r, arcs = random.Random(7), {}
    while len(arcs) < m:
        a, b = r.randrange(n), r.randrange(n)
        if keep(a, b):
            arcs[a, b] = r.choice(weights)
    return n, [(a, b, w) for (a, b), w in arcs.items()]


def cycles():
    """Cycles of several lengths with ways from each to the next, and a chord in the longest."""
    arcs, n = [], 0
    for size in 2, 3, 5, 8, 13, 40:
        arcs += [(n + i, n + (i + 1) % size, 1) for i in range(size)]
        if n:
            arcs += [(n - 1, n, 1)]
        n += size
    return n, arcs + [(n - 1, n - 20, 1)]


def hubs():
    """As many follow a vertex as follow it already."""
    r, ends, arcs = random.Random(3), [0, 1, 2], {}
    for v in range(3, 600):
        for _ in range(4):
            a, b = (v, r.choice(ends)) if r.random() < 0.7 else (r.choice(ends), v)
            if a != b:
                arcs[a, b] = 1
                ends += [b, v]
    return 600, [(a, b, 1) for a, b in arcs]


# Weights are multiples of a quarter, whose sums are exact.
GENERATED = {
    "random": lambda: drawn(400, 1600),
    "weighted": lambda: drawn(300, 1500, [x / 4 for x in range(1, 17)]),
    "acyclic": lambda: drawn(300, 900, keep=lambda a, b: a < b),
    "sparse": lambda: drawn(300, 330),
    "cycles": cycles,
    "hubs": hubs,
    "one-arc": lambda: (3, [(0, 1, 1)]),
}
TEN = ["cora", "CollegeMsg", "soc-Epinions1"] + list(GENERATED)


def main():
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/heavytail"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)
        for name in sys.argv[1:] or TEN:
            g = Graph(binary, work, name, *(GENERATED[name]() if name in GENERATED else real(name)))
            if TIMES:
                times(name, g)
                continue
            by_structure(name, g)
            by_walks(name, g)
            by_modularity(name, g)
            if len(g.keys) <= SMALL:
                by_distances(name, g)
                by_paths(name, g)
    sys.exit(1 if measures.failed else 0)


if __name__ == "__main__":
    main()
