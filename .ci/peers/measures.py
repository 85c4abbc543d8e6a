#!/usr/bin/python3
"""Compares COMPUTE with networkx and igraph on the same graphs.

    .ci/peers/measures.py ca-GrQc random star
    TIMES=yes .ci/peers/measures.py ego-twitter

takes graphs of ../shared/data or $HEAVYTAIL_DATA and the generated ones of GENERATED below; without names, the ten
graphs of TEN. It compares the values of every vertex: PageRank to 1e-9; degrees, cores, components, triangles and
eccentricities exactly; strength and clustering to 1e-12, katz, eigenvector, harmonic closeness and betweenness to 1e-6
of the largest value; paths and neighbourhoods of some vertices exactly. A graph with weights is compared with them and
without. networkx checks what it computes within seconds, igraph the rest. The modularity of community, a mean of SEEDS seeds (5),
must not be more than 0.005 below that of igraph's Leiden, and its quality by the constant Potts model not more than
0.5 % below.
TIMES=yes prints the processor time of both with one worker; it is not checked. The exit code is 1 if a comparison
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
REPEATS = 10  # of a measure whose time is measured
SMALL = 6000  # most vertices for which paths between all pairs are compared
PAIRS = 20  # of vertices between which PATH is compared
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

    def values(self, measure, start=()):
        """The values of a measure, which starts at the given vertices."""
        begin = " FROM " + ", ".join(f"'{key}'" for key in start) if start else ""
        return {key: float(value) for key, value in heavytail(self.binary, self.file, f"COMPUTE {measure} IN g{begin}")}

    def tables(self, statements):
        """The rows of each of several statements, between which heavytail leaves a line empty."""
        found = [[]]
        for row in heavytail(self.binary, self.file, "; ".join(statements)):
            if row:
                found[-1].append(row)
            else:
                found.append([])
        return [found[0]] + [rows[1:] for rows in found[1:]]

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


class Graph:
    """A graph in heavytail, in networkx and in igraph, whose vertices have the same order."""

    def __init__(self, ours, keys, edges):
        self.ours, self.keys, self.edges = ours, keys, edges
        self.weighted = any(w != 1 for _, _, w in edges)
        number = {key: i for i, key in enumerate(keys)}
        self.igraph = igraph.Graph(len(keys), [(number[a], number[b]) for a, b, _ in edges])
        self.igraph.es["weight"] = [w for _, _, w in edges]
        self.networkx = networkx.Graph()
        self.networkx.add_nodes_from(keys)
        self.networkx.add_weighted_edges_from(edges)

    def named(self, values):
        return dict(zip(self.keys, values))


def by_networkx(graph, g):
    n, values = g.networkx, g.ours.values
    compare(graph, "degree", values("degree"), dict(n.degree()), 0)
    compare(graph, "strength", values("strength"), dict(n.degree(weight="weight")), 1e-12)
    compare(graph, "core", values("core"), networkx.core_number(n), 0)
    compare(graph, "triangles", values("triangles"), networkx.triangles(n), 0)
    compare(graph, "clustering", values("clustering"), networkx.clustering(n), 1e-12)
    for weight, on, suffix in weightings(g):
        some = dict.fromkeys(g.keys[:3], 1)
        kept = {"tol": 1e-14, "max_iter": 5000, "weight": weight}
        compare(graph, "pagerank" + suffix, values(f"pagerank(weighted := {on})"), networkx.pagerank(n, **kept), 1e-9, False)
        compare(graph, "pagerank from" + suffix, values(f"pagerank(weighted := {on})", some),
                networkx.pagerank(n, personalization=some, **kept), 1e-9, False)
        by_katz(graph, g, weight, on, suffix)


def weightings(g):
    """How weights are used: their name for networkx, the value of the option weighted, and what reports add."""
    yield None, "FALSE", ""
    if g.weighted:
        yield "weight", "TRUE", " weighted"


def by_katz(graph, g, weight, on, suffix):
    """networkx stops at a difference per vertex; alpha is small enough for its series to converge."""
    largest = max(dict(g.networkx.degree(weight=weight)).values())
    alpha = 0.5 / largest if largest else 0.5
    want = networkx.katz_centrality(g.networkx, alpha=alpha, tol=1e-12, max_iter=5000, weight=weight)
    compare(graph, "katz" + suffix, g.ours.values(f"katz(alpha := {alpha:.17f}, weighted := {on})"), want, 1e-6)


def by_igraph(graph, g):
    ours, i = g.ours, g.igraph
    compare(graph, "pagerank igraph", ours.values("pagerank(weighted := FALSE)"), g.named(i.pagerank(damping=0.85)), 1e-9, False)
    compare(graph, "core igraph", ours.values("core"), g.named(i.coreness()), 0)
    label, parts = ours.values("component"), i.connected_components().membership
    pairs = {(label[v], p) for v, p in zip(g.keys, parts)}
    report(graph, "component", len(pairs) == len(set(parts)) == len(set(label.values())), f"{len(pairs)} components")
    for weight, on, suffix in weightings(g):
        if g.edges:
            vector = ours.values(f"eigenvector(weighted := {on})")
            top = max(vector.values())
            want = g.named(i.eigenvector_centrality(scale=True, weights=weight))
            compare(graph, "eigenvector" + suffix, {v: x / top for v, x in vector.items()}, want, 1e-6)
        if len(g.keys) > SMALL:
            continue
        harmonic = [0.0 if x != x else x * (len(g.keys) - 1) for x in i.harmonic_centrality(weights=weight)]
        compare(graph, "harmonic" + suffix, ours.values(f"harmonic(weighted := {on})"), g.named(harmonic), 1e-6)
        compare(graph, "betweenness" + suffix, ours.values(f"betweenness(weighted := {on})"), g.named(i.betweenness(weights=weight)), 1e-6)
    if len(g.keys) <= SMALL:
        compare(graph, "eccentricity", ours.values("eccentricity"), g.named(i.eccentricity()), 0)


def by_paths(graph, g):
    """Paths between some pairs, as long as those of networkx and over edges of the graph, and neighbourhoods."""
    chosen = random.Random(1).choices(g.keys, k=2 * PAIRS)
    pairs = list(zip(chosen[::2], chosen[1::2]))
    for weight, _, suffix in weightings(g):
        found = g.ours.tables([f"PATH FROM '{a}' TO '{b}' IN g{' BY WEIGHT' if weight else ''}" for a, b in pairs])
        wrong = sum(not same_path(g.networkx, weight, pair, rows) for pair, rows in zip(pairs, found))
        report(graph, "path" + suffix, len(found) == len(pairs) and not wrong, f"{wrong} of {len(pairs)} paths differ")
    found = g.ours.tables([f"SHOW NEIGHBORS OF '{a}' WITHIN 2 IN g" for a, _ in pairs])
    wrong = 0
    for (a, _), rows in zip(pairs, found):
        want = networkx.single_source_shortest_path_length(g.networkx, a, cutoff=2)
        wrong += {row[0]: int(row[1]) for row in rows} != {v: d for v, d in want.items() if v != a}
    report(graph, "neighbourhood", len(found) == len(pairs) and not wrong, f"{wrong} of {len(pairs)} differ")


def same_path(n, weight, pair, rows):
    try:
        want = networkx.dijkstra_path_length(n, *pair, weight=weight or (lambda *_: 1))
    except networkx.NetworkXNoPath:
        return not rows
    if not rows or (rows[0][1], rows[-1][1]) != pair:
        return False
    steps = zip(rows, rows[1:])
    length = sum(n.edges[a[1], b[1]]["weight"] if weight else 1 for a, b in steps if n.has_edge(a[1], b[1]))
    return all(n.has_edge(a[1], b[1]) for a, b in zip(rows, rows[1:])) and length == want == float(rows[-1][2])


def by_modularity(graph, g):
    for weight, on, suffix in weightings(g):
        mine, theirs = [], []
        for seed in range(SEEDS):
            label = g.ours.values(f"community(seed := {seed}, weighted := {on})")
            mine.append(g.igraph.modularity([int(label[v]) for v in g.keys], weights=weight))
            random.seed(seed)
            theirs.append(g.igraph.community_leiden(objective_function="modularity", weights=weight, n_iterations=-1).modularity)
        means = statistics.mean(mine), statistics.mean(theirs)
        report(graph, "community" + suffix, not means[0] < means[1] - 0.005, f"modularity {means[0]:.4f}, igraph {means[1]:.4f}")


def by_potts(graph, g):
    """The quality of the constant Potts model, which counts edges inside less resolution times pairs inside."""
    resolution = 0.05

    def quality(label):
        inside = sum(label[e.source] == label[e.target] for e in g.igraph.es)
        return inside - resolution * sum(n * (n - 1) / 2 for n in collections.Counter(label).values())

    mine, theirs = [], []
    for seed in range(SEEDS):
        label = g.ours.values(f"community(quality := 'cpm', resolution := {resolution}, seed := {seed}, weighted := FALSE)")
        mine.append(quality([label[v] for v in g.keys]))
        random.seed(seed)
        theirs.append(quality(g.igraph.community_leiden(objective_function="CPM", resolution_parameter=resolution, n_iterations=-1).membership))
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


def real(name):
    """The import of a graph of the data."""
    path = next(p for p in sorted(DATA.glob(name + ".*")) if "labels" not in p.name)
    return f"IMPORT '{path}' INTO g"


def generated(name, work):
    """The import of a graph of GENERATED, with the vertices that have no edges."""
    keys, edges = GENERATED[name]()
    path = f"{work}/{name}.edges.csv"
    with open(path, "w", encoding="utf-8") as out:
        out.write("source,target,weight\n")
        out.writelines(f"v{a},v{b},{w}\n" for a, b, w in edges)
    joined = {v for edge in edges for v in edge[:2]}
    alone = [f"INSERT VERTEX 'v{v}' INTO g" for v in range(keys) if v not in joined]
    return "; ".join([f"IMPORT '{path}' INTO g" if edges else "CREATE GRAPH g"] + alone)


def random_edges(n, p, weights=(1,)):
    r = random.Random(7)
    return n, [(a, b, r.choice(weights)) for a in range(n) for b in range(a) if r.random() < p]


def many_components():
    """Paths, cycles and cliques of different sizes, none of which has the largest eigenvalue of another."""
    edges, n = [], 0
    for size in range(2, 22):
        edges += [(n + i, n + i + 1, 1) for i in range(size - 1)]
        if size % 3 == 0:
            edges.append((n, n + size - 1, 1))
        n += size
    edges += [(n + a, n + b, 1) for a in range(9) for b in range(a)]
    return n + 9, edges


# Weights are multiples of a quarter, whose sums are exact: paths of equal length have
# equal sums.
GENERATED = {
    "random": lambda: random_edges(500, 0.012),
    "weighted": lambda: random_edges(400, 0.02, [x / 4 for x in range(1, 17)]),
    "star": lambda: (301, [(0, leaf, 1) for leaf in range(1, 301)]),
    "components": many_components,
    "isolated": lambda: (230, random_edges(200, 0.02)[1]),
    "one-edge": lambda: (2, [(0, 1, 1)]),
    "no-edge": lambda: (5, []),
}
TEN = ["ca-GrQc", "cora", "CollegeMsg"] + list(GENERATED)


def graph_of(binary, work, name):
    ours = Ours(binary, f"{work}/{name}.ht")
    heavytail(binary, ours.file, generated(name, work) if name in GENERATED else real(name))
    keys = [row[0] for row in heavytail(binary, ours.file, "SHOW VERTICES IN g")]
    edges = heavytail(binary, ours.file, "SHOW EDGES IN g")
    at = 2 if name == "weighted" else None
    return Graph(ours, keys, [(row[0], row[1], float(row[at]) if at else 1) for row in edges])


def main():
    with tempfile.TemporaryDirectory() as work:
        binary = f"{work}/heavytail"
        subprocess.run(["go", "build", "-o", binary, "./cmd/heavytail"], cwd=ROOT, check=True)
        for name in sys.argv[1:] or TEN:
            g = graph_of(binary, work, name)
            if TIMES:
                times(name, g.ours, g.igraph)
                continue
            if len(g.keys) <= SMALL:
                by_networkx(name, g)
                by_paths(name, g)
            by_igraph(name, g)
            if g.edges:  # without edges, igraph's Leiden does not end
                by_modularity(name, g)
                by_potts(name, g)
            else:
                compare(name, "community", g.ours.values("community"), g.named(range(len(g.keys))), 0)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
