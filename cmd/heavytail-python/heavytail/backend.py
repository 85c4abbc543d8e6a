"""A backend of networkx 3.2 and later: nx.pagerank(G, backend="heavytail").

networkx finds it by the entry points of the package. A graph is copied to a heavytail file, which is deleted when the
program ends; networkx keeps the copy for further calls until the graph changes. A graph that is in a file already
is used as it is: nx.pagerank(db.networkx("social")).

Arguments that heavytail does not have, loops, multigraphs and weights that are not positive are refused by can_run, so
that networkx takes its own function where it may. Weights are kept with 24 bits.
"""

import atexit
import collections
import csv
import io
import itertools
import math
import os
import shutil
import tempfile
import threading
import weakref

from .language import quoted

SCORERS = ("jaccard_coefficient", "adamic_adar_index", "resource_allocation_index", "preferential_attachment")


def info():
    """What networkx shows of the backend."""
    about = {
        "pagerank": "Exact to 1e-12, whatever tol and max_iter are.",
        "betweenness_centrality": "Exact, on all cores. Lengths must be whole numbers.",
        "louvain_communities": "The communities are those of the Leiden method, whose modularity is at least as high in most cases.",
        "leiden_communities": "At most four runs of the Leiden method.",
        **dict.fromkeys(SCORERS, "Pairs without an edge come in an order of its own if ebunch is None."),
    }
    return {
        "backend_name": "heavytail", "project": "heavytail", "package": "heavytail",
        "short_summary": "Centrality, communities and link prediction by the command heavytail.",
        "functions": {name: {"additional_docs": text} for name, text in about.items()},
    }


class Graph:
    """A graph in a heavytail file, which networkx passes to the functions of this backend."""

    __networkx_backend__ = "heavytail"

    def __init__(self, db, name, nodes=None):
        self.db, self.name = db, name
        found = [entry for entry in db.graphs(columns=["graph", "vertices", "directed"]) if entry[0] == name]
        if not found:
            raise KeyError(f"the file has no graph {name!r}")
        _, self.size, self._directed = found[0]
        self._nodes = nodes  # by the numbers that are their keys; None if the keys are the nodes

    def is_directed(self):
        return self._directed

    def is_multigraph(self):
        return False

    def __len__(self):
        return self.size

    def number_of_nodes(self):
        return self.size

    def node(self, key):
        return key if self._nodes is None else self._nodes[int(key)]

    def nodes(self):
        """The nodes, each with its key."""
        if self._nodes is None:
            return [(key, key) for key in self.db.vertices(self.name, columns=["degree"])["vertex"]]
        return [(node, str(i)) for i, node in enumerate(self._nodes)]

    def measure(self, name, **options):
        """The values of a measure by node, in the order of the nodes."""
        table = self.db.compute(name, self.name, **options)
        if self._nodes is None:
            return dict(table.rows)
        values = [None] * self.size
        for key, value in table:
            values[int(key)] = value
        return dict(zip(self._nodes, values))


class _Store:
    """The file of the graphs that are copied."""

    def __init__(self):
        self._lock, self._db, self._made = threading.Lock(), None, itertools.count()
        self._gone = collections.deque()  # names of graphs that networkx has forgotten

    def open(self):
        from .database import open

        with self._lock:
            if self._db is None:
                folder = tempfile.TemporaryDirectory(prefix="heavytail-networkx-")
                self._db = open(os.path.join(folder.name, "graphs.ht"))
                atexit.register(self._close, folder)
        return self._db

    def _close(self, folder):
        with self._lock:
            self._db.close()
            self._db = None
        folder.cleanup()

    def add(self, graph, weight, default):
        """Copies a networkx graph, with one attribute of its edges as the weight."""
        db, name = self.open(), f"g{next(self._made)}"
        while self._gone:
            db.drop_graph(self._gone.popleft())
        nodes = list(graph)
        numbers = {node: i for i, node in enumerate(nodes)}
        if graph.is_directed():
            db.create_directed_graph(name)
        else:
            db.create_graph(name)
        weights = weight is not None and any(weight in attributes for _, _, attributes in graph.edges(data=True))
        db.import_vertices("-", name, data=_parts(itertools.chain(["key\n"], (f"{i}\n" for i in range(len(nodes))))))
        if weights:
            lines = (f"{numbers[u]} {numbers[v]} {value!r}\n" for u, v, value in graph.edges(data=weight, default=default))
        else:
            lines = (f"{numbers[u]} {numbers[v]}\n" for u, v in graph.edges())
        options = {"source": 1, "target": 2, **({"weight": 3} if weights else {})}
        db.import_graph("-", name, data=_parts(lines), format="edges", header="none", separator=" ", directed="true" if graph.is_directed() else "false", **options)
        made = Graph(db, name, nodes)
        weakref.finalize(made, self._gone.append, name).atexit = False  # it may be called in the middle of a statement
        return made


_store = _Store()


def _parts(lines):
    """Bytes of lines, some of them together."""
    lines = iter(lines)
    while part := "".join(itertools.islice(lines, 4096)):
        yield part.encode()


def convert_from_nx(graph, edge_attrs=None, *, preserve_edge_attrs=False, **_):
    weight, default = next(iter((edge_attrs or {}).items()), (None, 1))
    return _store.add(graph, weight, 1 if default is None else default)


def convert_to_nx(obj, **_):
    """A graph as one of networkx; other answers as they are."""
    if not isinstance(obj, Graph):
        return obj
    import networkx

    graph = networkx.DiGraph() if obj.is_directed() else networkx.Graph()
    graph.add_nodes_from(node for node, _ in obj.nodes())
    edges = obj.db.edges(obj.name)
    names = edges.columns[2:]
    for source, target, *values in edges:
        graph.add_edge(obj.node(source), obj.node(target), **{name: value for name, value in zip(names, values) if value is not None})
    return graph


def can_run(name, args, kwargs):
    """True, or why networkx must use its own function."""
    if name not in info()["functions"]:
        return "heavytail does not have it"
    given = _arguments(name, args, kwargs)
    if reason := REFUSED[name](given):
        return reason
    graph = given["G"]
    if isinstance(graph, Graph):
        return True
    if graph.is_multigraph():
        return "heavytail has no multigraphs"
    if len(graph) == 0:
        return "the graph is empty"
    if any(v in neighbors for v, neighbors in graph.adjacency()):
        return "heavytail has no loops"
    weight = given.get("weight")
    if weight is not None:
        if not isinstance(weight, str):
            return "a weight is the name of an attribute of edges"
        whole = name == "betweenness_centrality"
        for _, _, value in graph.edges(data=weight, default=1):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
                return "weights must be positive numbers"
            if whole and (value != int(value) or value >= 1 << 24):
                return "lengths of edges must be whole numbers below 16777216, so that sums of them are exact"
            if not 1e-37 < value < 1e38:
                return "weights must be from 1e-37 to 1e38"
    if not shutil.which(os.environ.get("HEAVYTAIL", "heavytail")):
        return "the command heavytail is not there"
    return True


def should_run(name, args, kwargs):
    """True where the copy of a graph takes less time than is saved, or the reason why not."""
    given = _arguments(name, args, kwargs)
    graph = given["G"]
    if isinstance(graph, Graph) or "heavytail" in getattr(graph, "__networkx_cache__", {}).get("backends", {}):
        return True
    edges = graph.number_of_edges()
    if name == "betweenness_centrality":
        pays = len(graph) * edges >= 20_000
    elif name in SCORERS:
        pairs = given["ebunch"]
        pays = hasattr(pairs, "__len__") and len(pairs) >= max(edges, 10_000)
    else:
        pays = name != "pagerank" and edges >= 2000
    return pays or "to copy the graph takes longer than networkx"


# The parameters of the functions of networkx with their defaults.
PARAMETERS = {
    "pagerank": {"G": None, "alpha": 0.85, "personalization": None, "max_iter": 100, "tol": 1e-6, "nstart": None, "weight": "weight", "dangling": None},
    "betweenness_centrality": {"G": None, "k": None, "normalized": True, "weight": None, "endpoints": False, "seed": None},
    "louvain_communities": {"G": None, "weight": "weight", "resolution": 1, "threshold": 1e-7, "max_level": None, "seed": None},
    "leiden_communities": {"G": None, "weight": "weight", "resolution": 1, "max_level": None, "seed": None},
    **{name: {"G": None, "ebunch": None} for name in SCORERS},
}


def _arguments(name, args, kwargs):
    return {**PARAMETERS[name], **dict(zip(PARAMETERS[name], args)), **kwargs}


def _no_pagerank(given):
    for name in ("personalization", "nstart", "dangling"):
        if given[name] is not None:
            return f"{name} is not None"
    if not 0 < given["alpha"] < 1:
        return "alpha is not above 0 and below 1"
    return "" if given["max_iter"] >= 100 else "max_iter is below 100, and an error may be wanted"


def _no_betweenness(given):
    if given["k"] is not None:
        return "k is not None: samples would be others"
    return "endpoints is not False" if given["endpoints"] else ""


def _no_communities(given):
    if given["max_level"] is not None or given.get("threshold", 1e-7) != 1e-7:
        return "max_level and threshold are not those of Louvain's method here"
    return "" if given["resolution"] > 0 else "resolution is not above 0"


def _no_score(given):
    if given["G"].is_directed():
        return "networkx refuses directed graphs"
    pairs = given["ebunch"]
    if isinstance(pairs, (list, tuple, set)) and any(pair[0] == pair[1] for pair in pairs):
        return "heavytail scores no vertex with itself"
    return ""


REFUSED = {
    "pagerank": _no_pagerank, "betweenness_centrality": _no_betweenness, "louvain_communities": _no_communities, "leiden_communities": _no_communities,
    **dict.fromkeys(SCORERS, _no_score),
}


def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None):
    return G.measure("pagerank", damping=alpha, weighted=weight is not None)


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    return G.measure("betweenness", normalized=bool(normalized), weighted=weight is not None, sources=len(G))


def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None):
    if hasattr(seed, "getrandbits"):  # networkx makes it of an integer
        seed = seed.getrandbits(32)
    communities = {}
    for node, community in G.measure("community", weighted=weight is not None, resolution=resolution, seed=abs(int(seed or 0))).items():
        communities.setdefault(community, set()).add(node)
    return [communities[i] for i in sorted(communities)]


def louvain_communities(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    return leiden_communities(G, weight, resolution, max_level, seed)


def _missing(graph):
    """The pairs of nodes without an edge."""
    neighbors = collections.defaultdict(set)
    for source, target in graph.db.edges(graph.name, columns=["source", "target"]):
        neighbors[source].add(target)
        neighbors[target].add(source)
    nodes = graph.nodes()
    for i, (u, key) in enumerate(nodes):
        for v, other in nodes[i + 1:]:
            if other not in neighbors[key]:
                yield (u, v), (key, other)


def _named(graph, pairs):
    """Pairs of nodes with the keys of both."""
    import networkx

    keys = {node: key for node, key in graph.nodes()}
    for u, v in pairs:
        for node in (u, v):
            if node not in keys:
                raise networkx.NodeNotFound(f"Node {node} not in G.")
        if u == v:
            raise NotImplementedError("heavytail scores no vertex with itself")
        yield (u, v), (keys[u], keys[v])


def _scored(scorer, exact, graph, ebunch):
    pairs = list(_missing(graph) if ebunch is None else _named(graph, ebunch))
    if not pairs:
        return iter(())

    def lines():
        for i in range(0, len(pairs), 4096):
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(keys for _, keys in pairs[i:i + 4096])
            yield text.getvalue().encode()

    table = graph.db.query(f"SCORE FILE '-' IN {quoted(graph.name)} WITH {scorer} WITH (separator := ',', header := 'none')", data=lines())
    return ((u, v, exact(row[-1])) for ((u, v), _), row in zip(pairs, table))


def jaccard_coefficient(G, ebunch=None):
    return _scored("jaccard", float, G, ebunch)


def adamic_adar_index(G, ebunch=None):
    return _scored("adamic_adar", float, G, ebunch)


def resource_allocation_index(G, ebunch=None):
    return _scored("resource_allocation", float, G, ebunch)


def preferential_attachment(G, ebunch=None):
    return _scored("preferential_attachment", int, G, ebunch)
