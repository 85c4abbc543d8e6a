"""Tests of the backend for networkx: by the dispatch of networkx 3.2 or later where that is found, and else by a stub of it.

HEAVYTAIL_NETWORKX is a folder with a newer networkx than that of the interpreter; see test_heavytail.py.
"""

import atexit
import gc
import itertools
import os
import random
import sys
import tempfile
import tomllib
import unittest
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..")] + [p for p in [os.environ.get("HEAVYTAIL_NETWORKX")] if p]


def install():
    """Makes a folder of the path with the entry points of the package, as pip does, which networkx reads when it is imported."""
    with open(os.path.join(HERE, "..", "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    folder = tempfile.TemporaryDirectory()
    made = os.path.join(folder.name, f"heavytail-{project['version']}.dist-info")
    os.mkdir(made)
    with open(os.path.join(made, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\nName: heavytail\nVersion: {project['version']}\n")
    with open(os.path.join(made, "entry_points.txt"), "w") as file:
        for group, points in project["entry-points"].items():
            file.write(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items()))
    sys.path.insert(0, folder.name)
    return folder


atexit.register(install().cleanup)

import networkx

from heavytail import backend
from test_heavytail import Case

# Of the functions that networkx 3 finds, and not those of the same name in its modules.
DISPATCHES = tuple(map(int, networkx.__version__.split(".")[:2])) >= (3, 2)


def own(name):
    """A function of networkx itself."""
    return getattr(networkx.community, name) if "communities" in name else getattr(networkx, name)


def run(name, graph, *args, **kwargs):
    """Calls a function of the backend, by networkx, or as networkx does."""
    if DISPATCHES:
        return own(name)(graph, *args, backend="heavytail", **kwargs)
    reason = backend.can_run(name, (graph, *args), kwargs)
    if reason is not True:
        raise NotImplementedError(reason)
    weight = backend._arguments(name, (graph, *args), kwargs).get("weight")
    made = graph if isinstance(graph, backend.Graph) else backend.convert_from_nx(graph, edge_attrs=weight and {weight: 1}, name=name, graph_name="G")
    return backend.convert_to_nx(getattr(backend, name)(made, *args, **kwargs), name=name)


def itself(name, graph, *args, **kwargs):
    """Calls a function of networkx."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networkx 2.8 calls what it has deprecated
        return own(name)(graph, *args, **kwargs)


def weighted(graph, values, seed=1):
    dice = random.Random(seed)
    for _, _, attributes in graph.edges(data=True):
        if dice.random() < 0.8:  # the others have the default
            attributes["cost"] = dice.choice(values)
    return graph


def graphs():
    """Graphs of several kinds, of nodes of several types."""
    yield networkx.karate_club_graph()
    yield networkx.path_graph(2)
    yield networkx.empty_graph(3)
    yield networkx.star_graph(9)
    yield networkx.grid_2d_graph(4, 5)  # nodes are pairs
    yield networkx.relabel_nodes(networkx.cycle_graph(5), {0: "a,b", 1: 'c"d', 2: "1", 3: 1, 4: frozenset("x")})
    for seed in range(2):
        yield networkx.gnp_random_graph(40, 0.06, seed=seed)
        yield networkx.gnp_random_graph(40, 0.06, seed=seed, directed=True)
        yield networkx.barabasi_albert_graph(60, 2, seed=seed)


class TestBackend(Case):
    def setUp(self):
        super().setUp()
        warnings.filterwarnings("ignore", message="Note: conversions to backend graphs")
        self.addCleanup(warnings.resetwarnings)

    def close(self, got, want, tolerance=1e-9):
        self.assertEqual(list(got), list(want))  # in the same order
        for node in want:
            self.assertAlmostEqual(got[node], want[node], delta=tolerance * max(1, abs(want[node])))

    def test_pagerank(self):
        for graph in graphs():
            for options in {}, {"alpha": 0.5, "weight": None, "tol": 1e-3}, {"weight": "cost"}:
                exact = {**options, "tol": 1e-13, "max_iter": 1000}
                # weights have 24 bits in heavytail
                self.close(run("pagerank", weighted(graph, [0.1, 1, 2.5]), **options), itself("pagerank", graph, **exact), 1e-6 if "cost" in options.values() else 1e-9)

    def test_betweenness(self):
        for graph in graphs():
            for options in {}, {"normalized": False}, {"weight": "cost"}, {"weight": "cost", "normalized": False}:
                self.close(run("betweenness_centrality", weighted(graph, [1, 2, 3.0]), **options), itself("betweenness_centrality", graph, **options))

    def test_communities(self):
        for graph in graphs():
            if graph.number_of_edges() == 0:
                continue
            for name in ("louvain_communities", "leiden_communities"):
                if name == "leiden_communities" and (graph.is_directed() or not hasattr(networkx.community, name) and DISPATCHES):
                    continue  # networkx refuses directed graphs
                for options in {}, {"weight": "cost"}, {"weight": None, "resolution": 1.5}:
                    got = run(name, weighted(graph, [1, 2, 0.5]), seed=1, **options)
                    self.assertTrue(networkx.community.is_partition(graph, got))
                    measured = {"weight": options.get("weight", "weight"), "resolution": options.get("resolution", 1)}
                    best = max(networkx.community.modularity(graph, itself("louvain_communities", graph, seed=seed, **options), **measured) for seed in range(3))
                    self.assertGreaterEqual(networkx.community.modularity(graph, got, **measured), best - 0.03, (name, graph, options))
                    self.assertEqual(got, run(name, graph, seed=1, **options))

    def test_links(self):
        for graph in graphs():
            if graph.is_directed():
                with self.assertRaises((NotImplementedError, networkx.NetworkXNotImplemented)):
                    run("jaccard_coefficient", graph)
                continue
            nodes = list(graph)
            pairs = [(u, v) for u, v in itertools.product(nodes[:12], nodes[-12:]) if u != v]
            for name in backend.SCORERS:
                for given in (pairs, iter(pairs), []):
                    want = list(itself(name, graph, pairs if given else []))
                    got = list(run(name, graph, given))
                    self.assertEqual([row[:2] for row in got], [row[:2] for row in want])
                    for (_, _, a), (_, _, b) in zip(got, want):
                        self.assertAlmostEqual(a, b, delta=1e-12 * max(1, b))
                        self.assertEqual(type(a), type(b) if b else type(a))
                want = {frozenset(row[:2]): row[2] for row in itself(name, graph)}
                self.close({ends: score for ends, score in sorted(((frozenset(row[:2]), row[2]) for row in run(name, graph)), key=lambda e: list(want).index(e[0]))}, want)
            with self.assertRaises(networkx.NodeNotFound):
                list(run("jaccard_coefficient", graph, [(nodes[0], "no node")]))

    def test_refused(self):
        graph, multi, loop = networkx.karate_club_graph(), networkx.MultiGraph([(1, 2)]), networkx.Graph([(1, 2), (2, 2)])
        for name, given, args, options in (
            ("pagerank", multi, (), {}), ("pagerank", loop, (), {}), ("pagerank", networkx.Graph(), (), {}),
            ("pagerank", graph, (), {"personalization": {0: 1}}), ("pagerank", graph, (1,), {}), ("pagerank", graph, (0.85, {0: 1}), {}),
            ("pagerank", graph, (), {"nstart": {0: 1}}), ("pagerank", graph, (), {"dangling": {0: 1}}), ("pagerank", graph, (), {"max_iter": 3}),
            ("pagerank", weighted(networkx.path_graph(9), [-1]), (), {"weight": "cost"}), ("pagerank", weighted(networkx.path_graph(9), [0]), (), {"weight": "cost"}),
            ("pagerank", weighted(networkx.path_graph(9), ["x"]), (), {"weight": "cost"}), ("pagerank", weighted(networkx.path_graph(9), [float("nan")]), (), {"weight": "cost"}),
            ("pagerank", weighted(networkx.path_graph(9), [1e300]), (), {"weight": "cost"}), ("pagerank", weighted(networkx.path_graph(9), [10**400]), (), {"weight": "cost"}),
            ("betweenness_centrality", graph, (3,), {}), ("betweenness_centrality", graph, (), {"endpoints": True}),
            ("betweenness_centrality", weighted(networkx.path_graph(9), [0.5]), (), {"weight": "cost"}),
            ("louvain_communities", graph, (), {"max_level": 1}), ("louvain_communities", graph, (), {"threshold": 0.1}), ("louvain_communities", graph, (), {"resolution": 0}),
            ("jaccard_coefficient", graph, ([(0, 0)],), {}), ("jaccard_coefficient", loop, (), {}), ("jaccard_coefficient", graph, (iter([(0, 0)]),), {}),
        ):
            with self.assertRaises(NotImplementedError, msg=(name, args, options)):
                run(name, given, *args, **options)
        self.assertNotEqual(backend.can_run("pagerank", (graph,), {}), "")
        before = os.environ["HEAVYTAIL"]
        os.environ["HEAVYTAIL"] = "/no/such/command"
        try:
            self.assertIn("not there", backend.can_run("pagerank", (graph,), {}))
        finally:
            os.environ["HEAVYTAIL"] = before

    def test_stored(self):
        """A graph of a file is used without a copy, and made one of networkx."""
        db = self.open()
        for graph in networkx.karate_club_graph(), networkx.gnp_random_graph(40, 0.06, seed=1, directed=True):
            graph = networkx.relabel_nodes(graph, {node: f"it's {node}" for node in graph})
            name = type(graph).__name__
            db.import_networkx(graph, name)
            stored = db.networkx(name)
            self.assertEqual((len(stored), stored.is_directed(), backend.should_run("pagerank", (stored,), {})), (len(graph), graph.is_directed(), True))
            call = own("pagerank") if DISPATCHES else lambda graph: run("pagerank", graph)  # networkx sees whose it is
            self.close(call(stored), itself("pagerank", graph, tol=1e-13, max_iter=1000))
            if not graph.is_directed():
                pairs = [(u, v) for u, v in itertools.combinations(list(graph)[:9], 2)]
                self.assertEqual(list(run("jaccard_coefficient", stored, pairs)), list(itself("jaccard_coefficient", graph, pairs)))
            back = backend.convert_to_nx(stored)
            self.assertEqual((type(back), list(back)), (type(graph), list(graph)))
            self.assertEqual({frozenset(e) for e in back.edges}, {frozenset(e) for e in graph.edges})
        with self.assertRaises(KeyError):
            db.networkx("nothing")

    def test_forgotten(self):
        """Graphs that the program has forgotten are not kept."""
        for seed in range(5):
            run("pagerank", networkx.gnp_random_graph(30, 0.1, seed=seed))
        gc.collect()
        run("pagerank", networkx.path_graph(3))
        self.assertLess(len(backend._store.open().graphs()), 3)

    @unittest.skipUnless(DISPATCHES, "networkx 3.2 or later is not there: the stub has neither priorities nor entry points")
    def test_dispatch(self):
        self.assertEqual(set(networkx.utils.backends.backend_info["heavytail"]["functions"]), set(backend.info()["functions"]))
        for name in backend.info()["functions"]:
            if name == "leiden_communities" and not hasattr(networkx.community, name):
                continue  # before networkx 3.5
            wrapped = own(name)
            self.assertIn("heavytail", wrapped.backends)
            defaults = dict(zip(backend.PARAMETERS[name], [None, *wrapped.orig_func.__defaults__]))
            self.assertEqual(defaults, backend.PARAMETERS[name], name)
        large, small = networkx.barabasi_albert_graph(400, 2, seed=1), networkx.path_graph(9)
        with networkx.config.backend_priority(algos=["heavytail"]):
            for graph, copied in ((large, True), (small, False)):
                self.close(networkx.betweenness_centrality(graph), itself("betweenness_centrality", graph))
                self.assertEqual("heavytail" in graph.__networkx_cache__.get("backends", {}), copied)
            self.close(networkx.pagerank(small, personalization={0: 1}), itself("pagerank", small, personalization={0: 1}))
            self.assertNotIn("heavytail", small.__networkx_cache__.get("backends", {}))
        large.add_edge(0, "new")  # the copy is made again
        self.assertEqual(len(run("pagerank", large)), 401)


if __name__ == "__main__":
    unittest.main()
