#!/usr/bin/python3
"""Exchanges small graphs and vectors with networkx, igraph, scipy, numpy and gensim, in both directions and in every format:

    formats.py EXCHANGE HEAVYTAIL

EXCHANGE is the program of .ci/peers/exchange, which reads and writes files, and HEAVYTAIL is the command, which imports
and exports them. Everything must come back as it was; otherwise the exit code is 1.
"""
import bz2
import csv
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile

import igraph
import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse
from gensim.models import KeyedVectors

EDGE_COLUMNS = [("since", "integer"), ("share", "float"), ("open", "boolean"), ("kind", "text"), ("code", "text")]
COLUMNS = [("age", "integer"), ("score", "float"), ("ok", "boolean"), ("note", "text"), ("zip", "text"), ("void", "integer")]
WORDS = ["Bern", "北京", "a,b", 'say "c"', "<&>", "two\nlines", "tab\there", " blanks ", "1", "true", "=1+1", "é"]
failures = []


def make_graph(keys, seed):
    """Returns a graph with typed attributes, of which many are missing; every edge has a weight, some have a time."""
    dice = random.Random(seed)
    graph = nx.Graph()
    for i, key in enumerate(keys):
        values = {
            "age": dice.randrange(-9, 2**62),
            "score": dice.choice([dice.uniform(-1e6, 1e6), float(dice.randrange(9)), 1e-300]),
            "ok": dice.random() < 0.5,
            "note": dice.choice(WORDS),
            "zip": f"{dice.randrange(10**5):05}",
        }
        graph.add_node(key, **{name: value for name, value in values.items() if i == 0 or dice.random() < 0.6})
    for a in keys:
        for b in dice.sample(keys, 3):
            if a != b:
                graph.add_edge(a, b, weight=float(np.float32(dice.choice([dice.uniform(0.001, 9), 1.0, 3e20]))))
                if dice.random() < 0.5:
                    graph.edges[a, b]["time"] = dice.randrange(-(2**40), 2**40)
    return graph


def make_digraph(keys, seed):
    """Returns a directed graph of the same kind whose edges have typed attributes; many pairs have an edge in each direction, with other values."""
    dice = random.Random(seed)
    graph = make_graph(keys, seed).to_directed()
    for a, b in list(graph.edges):
        if dice.random() < 0.4:
            graph.remove_edge(a, b)
            continue
        data = graph.edges[a, b]
        data["weight"] = float(np.float32(dice.uniform(0.001, 9)))
        values = {
            "since": dice.randrange(-9, 2**62),
            "share": dice.choice([dice.uniform(-1e6, 1e6), float(dice.randrange(9)), 1e-300]),
            "open": dice.random() < 0.5,
            "kind": dice.choice(WORDS),
            "code": f"{dice.randrange(10**5):05}",
        }
        data.update((name, value) for name, value in values.items() if dice.random() < 0.6)
    first = next(iter(graph.edges))
    graph.edges[first].update(since=7, share=0.5, open=True, kind="Bern", code="007")
    return graph


def text_of(value):
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else repr(value)


def as_json(graph):
    return {
        "directed": graph.is_directed(),
        "edge_columns": [{"Name": name, "Type": kind} for name, kind in EDGE_COLUMNS] if graph.is_directed() else [],
        "columns": [{"Name": name, "Type": kind} for name, kind in COLUMNS],
        "vertices": [{"key": v, "values": [text_of(data.get(name)) for name, _ in COLUMNS]} for v, data in graph.nodes(data=True)],
        "edges": [{"source": a, "target": b, "weight": d["weight"], "time": d.get("time"), "values": [text_of(d.get(name)) for name, _ in EDGE_COLUMNS]} for a, b, d in graph.edges(data=True)],
    }


PARSERS = {"integer": int, "float": float, "boolean": lambda text: text == "true", "text": str}


def from_json(found):
    """Makes a graph of what our reader found."""
    graph = nx.Graph()
    columns = [(c["Name"], PARSERS[c["Type"]]) for c in found["columns"] or []]
    for vertex in found["vertices"]:
        values = {name: parse(text) for (name, parse), text in zip(columns, vertex["values"] or []) if text is not None}
        graph.add_node(vertex["key"], **values)
    for e in found["edges"]:
        graph.add_edge(e["source"], e["target"], **{name: e[name] for name in ("weight", "time") if e[name] is not None})
    return graph


def directed_from_json(found):
    """Makes a graph of what our reader found, with directions and attributes of edges."""
    graph = nx.DiGraph() if found["directed"] else nx.Graph()
    graph.add_nodes_from(from_json({**found, "edges": []}).nodes(data=True))
    columns = [(c["Name"], PARSERS[c["Type"]]) for c in found["edge_columns"] or []]
    for e in found["edges"]:
        data = {name: e[name] for name in ("weight", "time") if e[name] is not None}
        data.update((name, parse(text)) for (name, parse), text in zip(columns, e["values"] or []) if text is not None)
        for a, b in ((e["source"], e["target"]), (e["target"], e["source"]))[: 2 if e["both"] else 1]:
            graph.add_edge(a, b, **data)
    return graph


def directed_facts(graph, nodes=True, edges=None):
    """Returns what is to be compared of a directed graph; edges are the attributes of edges that a format keeps, None for all."""
    def kept(data):
        data = {name: value for name, value in data.items() if edges is None or name in edges}
        if "weight" in data:
            data["weight"] = float(np.float32(data["weight"]))
        return sorted((name, type(value).__name__, value) for name, value in data.items())
    vertices = sorted((v, sorted(data.items())) for v, data in graph.nodes(data=True)) if nodes else None
    return graph.is_directed(), vertices, sorted(map(repr, ((a, b, kept(data)) for a, b, data in graph.edges(data=True))))


def facts(graph, nodes, weights, times):
    """Returns what is to be compared of a graph."""
    def edge(a, b, data):
        weight = float(np.float32(data["weight"])) if weights and "weight" in data else None
        return tuple(sorted((a, b))), weight, data.get("time") if times else None
    vertices = sorted((v, sorted(data.items()) if nodes == "values" else None) for v, data in graph.nodes(data=True)) if nodes else None
    return vertices, sorted(map(repr, (edge(*e) for e in graph.edges(data=True))))


def same(what, got, want):
    if got == want:
        print(f"  {what}")
        return
    failures.append(what)
    print(f"  {what}: DIFFERENT\n    got  {str(got)[:600]}\n    want {str(want)[:600]}")


class Exchange:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, graph, keys, rows):
        for name, data in ("graph.json", as_json(graph)), ("vectors.json", {"keys": keys, "rows": rows}):
            with open(self.path(name), "w", encoding="utf-8") as out:
                json.dump(data, out)
        subprocess.run([self.program, "write", self.folder], check=True)

    def read(self, name, *options):
        done = subprocess.run([self.program, "read", self.path(name), *options], check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def csv_graph(edges, vertices):
    graph = nx.Graph()
    for record in vertices:
        key = record.pop("vertex")
        values = {}
        for name, text in record.items():
            name = name.split(":")[0]
            if text != "":
                values[name] = PARSERS[dict(COLUMNS)[name]](text)
        graph.add_node(key, **values)
    for e in edges:
        graph.add_edge(e["source"], e["target"], weight=float(e["weight"]), **({"time": int(e["time"])} if e["time"] else {}))
    return graph


def read_gexf(path):
    """Reads GEXF as networkx does, without the labels and the ids of edges that it adds."""
    graph = nx.read_gexf(path)
    for key, data in graph.nodes(data=True):
        if data.pop("label") != key:
            failures.append(f"{path}: label of {key!r}")
    for _, _, data in graph.edges(data=True):
        data.pop("id", None)
    return graph


def read_node_link(path, link="links"):
    with open(path, encoding="utf-8") as text:
        return nx.node_link_graph(json.load(text), link=link)


def igraph_facts(graph):
    """Returns what facts does, of the keys and weights of a graph that igraph has read. igraph 0.10.2 leaves an escaped ampersand as &#38;."""
    keys = [key.replace("&#38;", "&") for key in graph.vs["id"]]
    out = nx.Graph()
    out.add_nodes_from(keys)
    for e in graph.es:
        out.add_edge(keys[e.source], keys[e.target], weight=e["weight"])
    return facts(out, "keys", True, False)


def plain_values(graph):
    """Returns a graph as GML can hold it: booleans are 1 and 0, and networkx writes larger integers as texts."""
    out = graph.copy()
    for _, data in out.nodes(data=True):
        if "ok" in data:
            data["ok"] = int(data["ok"])
        if "age" in data:
            data["age"] %= 2**31
    return out


GML_COLUMNS = [(name, "integer" if kind == "boolean" else kind) for name, kind in COLUMNS]


def gml_facts(found):
    """Returns the facts of a graph that our reader found in GML."""
    if [(c["Name"], c["Type"]) for c in found["columns"] or [] if (c["Name"], c["Type"]) not in GML_COLUMNS]:
        failures.append(f"columns of GML: {found['columns']}")
    return facts(from_json(found), "values", True, True)


def exchange_gml(exchange, graph):
    """GML, in both directions."""
    ints = graph.copy()
    for _, data in ints.nodes(data=True):
        if "ok" in data:
            data["ok"] = int(data["ok"])
    same("GML, read by networkx", facts(nx.read_gml(exchange.path("ours.gml")), "values", True, True), facts(ints, "values", True, True))
    theirs = igraph.Graph.Read_GML(exchange.path("ours.gml"))
    # igraph decodes the entities that have names, and leaves the numbered ones.
    read = [re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), label) for label in theirs.vs["label"]]
    out = nx.Graph()
    out.add_nodes_from(read)
    for e in theirs.es:
        out.add_edge(read[e.source], read[e.target], weight=e["weight"])
    same("GML, read by igraph", facts(out, "keys", True, False), facts(graph, "keys", True, False))
    plain = plain_values(graph)
    nx.write_gml(plain, exchange.path("theirs.gml"))
    same("GML of networkx", gml_facts(exchange.read("theirs.gml")), facts(plain, "values", True, True))
    own = igraph.Graph(directed=False)
    own.add_vertices(list(graph))  # as the attribute name
    own.add_edges(list(graph.edges))
    own.es["weight"] = [data["weight"] for _, _, data in graph.edges(data=True)]
    own.write_gml(exchange.path("igraph.gml"))
    found = from_json(exchange.read("igraph.gml", "key=name"))
    same("GML of igraph", facts(found, "keys", True, False), facts(graph, "keys", True, False))
    for kind, folded in ("bz2", bz2.compress), ("xz", lzma.compress):
        with open(exchange.path("theirs.gml"), "rb") as text, open(exchange.path(f"theirs.gml.{kind}"), "wb") as packed:
            packed.write(folded(text.read()))
        same(f"GML of networkx in {kind}", gml_facts(exchange.read(f"theirs.gml.{kind}")), facts(plain, "values", True, True))
    with zipfile.ZipFile(exchange.path("theirs.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(exchange.path("theirs.gml"), "folder/theirs.gml")
    same("GML of networkx in zip", gml_facts(exchange.read("theirs.zip")), facts(plain, "values", True, True))


NEO4J = {"long": int, "double": float, "boolean": lambda text: text == "true", "string": str, "float": float}


def neo4j_graph(exchange):
    """Reads both files for Neo4j by the types in their headers alone, as its import tool does."""
    def records(name):
        for record in read_csv(exchange.path(name)):
            values = {}
            for field, text in record.items():
                name, kind = field.rsplit(":", 1)
                if text != "":
                    values[name if kind in NEO4J else kind] = NEO4J.get(kind, str)(text)
            yield values
    graph = nx.Graph()
    for values in records("ours-neo4j-vertices.csv"):
        graph.add_node(values.pop("ID"), **values)
    for values in records("ours-neo4j.csv"):
        if values.pop("TYPE") != "EDGE":
            failures.append("type of an edge for Neo4j")
        graph.add_edge(values.pop("START_ID"), values.pop("END_ID"), **values)
    return graph


def metis_edges(path):
    """Returns the edges of a METIS file, which lists each at both ends, by the numbers of vertices from 0 on."""
    with open(path, encoding="ascii") as text:
        (vertices, edges), *rows = ([int(word) for word in line.split()] for line in text)
    arcs = sorted((u, v - 1) for u, row in enumerate(rows) for v in row)
    if len(rows) != vertices or len(arcs) != 2 * edges or arcs != sorted((v, u) for u, v in arcs):
        failures.append("counts or symmetry of METIS")
    return [(u, v) for u, v in arcs if u < v]


def edge_numbers(graph):
    order = {key: i for i, key in enumerate(graph)}
    return sorted(tuple(sorted((order[a], order[b]))) for a, b in graph.edges)


def ours_to_theirs(exchange, graph, words):
    """They read what we wrote."""
    everything = facts(graph, "values", True, True)
    same("GEXF, read by networkx", facts(read_gexf(exchange.path("ours.gexf")), "values", True, True), everything)
    same("node-link JSON, read by networkx", facts(read_node_link(exchange.path("ours.json")), "values", True, True), everything)
    same("GraphML, read by igraph", igraph_facts(igraph.Graph.Read_GraphML(exchange.path("ours.graphml"))), facts(graph, "keys", True, False))
    same("GraphML, read by networkx", facts(nx.read_graphml(exchange.path("ours.graphml")), "values", True, True), everything)
    same("GraphML in gzip, read by networkx", facts(nx.read_graphml(exchange.path("ours.graphml.gz")), "values", True, True), everything)
    tables = csv_graph(read_csv(exchange.path("ours.csv")), read_csv(exchange.path("ours-vertices.csv")))
    same("CSV of edges and vertices, read by Python", facts(tables, "values", True, True), everything)
    same("CSV for Neo4j, read by Python", facts(neo4j_graph(exchange), "values", True, True), everything)
    same("METIS, read by lines", metis_edges(exchange.path("ours.metis")), edge_numbers(graph))
    if words:
        same("edge list, read by networkx", facts(nx.read_edgelist(exchange.path("ours.edges")), None, False, False), facts(graph, None, False, False))
        timed = nx.Graph()
        with open(exchange.path("ours-weighted.edges"), encoding="utf-8") as text:
            for line in text:
                fields = line.split()
                if fields[0] != "#":
                    timed.add_edge(*fields[:2], weight=float(fields[2]), **({"time": int(fields[3])} if len(fields) > 3 else {}))
        same("edge list with weights and times, by words", facts(timed, None, True, True), facts(graph, None, True, True))


def ours_to_ours(exchange, graph):
    everything = facts(graph, "values", True, True)
    for name in "ours.graphml", "ours.graphml.gz", "ours.gexf", "ours.json":
        same(f"{name}, read by us", facts(from_json(exchange.read(name)), "values", True, True), everything)
    for name in "ours.csv", "ours-weighted.edges":
        same(f"{name}, read by us", facts(from_json(exchange.read(name)), None, True, True), facts(graph, None, True, True))
    same("ours-neo4j.csv, read by us", facts(from_json(exchange.read("ours-neo4j.csv")), None, True, True), facts(graph, None, True, True))
    same("ours-neo4j-vertices.csv, read by us", facts(from_json(exchange.read("ours-neo4j-vertices.csv", "layout=vertices")), "values", False, False)[0], everything[0])
    numbered = nx.relabel_nodes(graph, {v: str(i + 1) for i, v in enumerate(graph)})
    same("ours.metis, read by us", facts(from_json(exchange.read("ours.metis")), "keys", False, False), facts(numbered, "keys", False, False))
    vertices = exchange.read("ours-vertices.csv", "layout=vertices")
    same("types of ours-vertices.csv", [(c["Name"], c["Type"]) for c in vertices["columns"]], COLUMNS)
    same("ours-vertices.csv, read by us", facts(from_json(vertices), "values", False, False)[0], everything[0])


def theirs_to_ours(exchange, graph, words):
    """We read what they wrote."""
    nx.write_graphml_xml(graph, exchange.path("theirs.graphml"))
    same("GraphML of networkx", facts(from_json(exchange.read("theirs.graphml")), "values", True, True), facts(graph, "values", True, True))
    nx.write_gexf(graph, exchange.path("theirs.gexf"))
    same("GEXF of networkx", facts(from_json(exchange.read("theirs.gexf")), "values", True, True), facts(graph, "values", True, True))
    for link in "links", "edges":
        with open(exchange.path("theirs.json"), "w", encoding="utf-8") as out:
            json.dump(nx.node_link_data(graph, link=link), out, indent=1 if link == "edges" else None)
        same(f"node-link JSON of networkx, {link}", facts(from_json(exchange.read("theirs.json")), "values", True, True), facts(graph, "values", True, True))
    nx.write_edgelist(graph, exchange.path("tab.edges"), delimiter="\t", data=["weight"])
    got = exchange.read("tab.edges", "weight=3", "separator=tab") if words else None
    if words:
        same("edge list of networkx, by tabs", facts(from_json(got), None, True, False), facts(graph, None, True, False))
        nx.write_weighted_edgelist(graph, exchange.path("theirs.edges.gz"))
        same("edge list of networkx, in gzip", facts(from_json(exchange.read("theirs.edges.gz", "weight=3")), None, True, False), facts(graph, None, True, False))
        nx.write_adjlist(graph, exchange.path("theirs.adjlist"))
        same("adjacency list of networkx", facts(from_json(exchange.read("theirs.adjlist")), "keys", False, False), facts(graph, "keys", False, False))
    with open(exchange.path("theirs.csv"), "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)  # ends its lines by CR LF
        writer.writerow(["key", *(name for name, _ in COLUMNS)])
        for vertex in as_json(graph)["vertices"]:
            writer.writerow([vertex["key"], *vertex["values"]])
    found = exchange.read("theirs.csv", "layout=vertices")
    want = as_json(graph)["vertices"]
    # Python reads a missing value and an empty text as the same; there are no
    # empty texts here. Blanks around a bare field are dropped.
    want = [[v["key"] if any(c in v["key"] for c in ',"\r\n') else v["key"].strip(), [t if t is None else t.strip() if '"' not in t and "," not in t and "\n" not in t else t for t in v["values"]]] for v in want]
    same("CSV of Python", [[v["key"], v["values"]] for v in found["vertices"]], want)
    write_collections(exchange, graph)
    order = list(graph)
    numbered = nx.relabel_nodes(graph, {v: str(i + 1) for i, v in enumerate(order)})
    matrix = nx.to_scipy_sparse_array(graph, nodelist=order, weight="weight")
    scipy.io.mmwrite(exchange.path("theirs.mtx"), scipy.sparse.coo_matrix(matrix))
    same("Matrix Market of scipy", facts(from_json(exchange.read("theirs.mtx")), "keys", True, False), facts(numbered, "keys", True, False))


def write_collections(exchange, graph):
    """We read files as Neo4j, KONECT and SNAP have them."""
    with open(exchange.path("theirs-neo4j.csv"), "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL)
        writer.writerow([":START_ID", "weight:double", ":TYPE", "time:long", ":END_ID"])
        for a, b, data in graph.edges(data=True):
            writer.writerow([a, repr(data["weight"]), "KNOWS", data.get("time", ""), b])
    same("CSV for Neo4j of Python", facts(from_json(exchange.read("theirs-neo4j.csv")), None, True, True), facts(graph, None, True, True))
    numbered = nx.relabel_nodes(graph, {v: str(i + 1) for i, v in enumerate(graph)})
    with open(exchange.path("out.theirs"), "w", encoding="ascii") as out:
        print("% sym posweighted", f"% {numbered.number_of_edges()} {len(numbered)} {len(numbered)}", sep="\n", file=out)
        for a, b, data in numbered.edges(data=True):
            print(a, b, repr(data["weight"]), data.get("time", ""), file=out)
    same("KONECT by Python", facts(from_json(exchange.read("out.theirs")), None, True, True), facts(numbered, None, True, True))
    with open(exchange.path("snap.edges"), "w", encoding="ascii") as out:
        print("# Undirected graph: snap.txt", f"# Nodes: {len(numbered)} Edges: {numbered.number_of_edges()}", "# FromNodeId\tToNodeId", sep="\n", file=out)
        for a, b in numbered.edges:
            print(a, b, sep="\t", file=out)
    same("SNAP by Python", facts(from_json(exchange.read("snap.edges")), None, False, False), facts(numbered, None, False, False))


def without_sizes(graph):
    """Returns a graph without what GML of networkx changes: booleans, and integers beyond 32 bits."""
    out = plain_values(graph)
    for _, _, data in out.edges(data=True):
        if "open" in data:
            data["open"] = int(data["open"])
        for name in {"since", "time"} & set(data):
            data[name] %= 2**31
    return out


def bare_nodes(graph):
    out = type(graph)()
    out.add_nodes_from(graph)
    out.add_edges_from(graph.edges(data=True))
    return out


def exchange_directed(exchange, graph, words):
    """Directed graphs whose edges have attributes, in both directions."""
    everything = directed_facts(graph)
    same("directed GraphML, read by networkx", directed_facts(nx.read_graphml(exchange.path("ours.graphml"))), everything)
    same("directed GEXF, read by networkx", directed_facts(read_gexf(exchange.path("ours.gexf"))), everything)
    same("directed JSON, read by networkx", directed_facts(read_node_link(exchange.path("ours.json"))), everything)
    ints = graph.copy()
    for _, data in ints.nodes(data=True):
        if "ok" in data:
            data["ok"] = int(data["ok"])
    for _, _, data in ints.edges(data=True):
        if "open" in data:
            data["open"] = int(data["open"])
    same("directed GML, read by networkx", directed_facts(nx.read_gml(exchange.path("ours.gml"))), directed_facts(ints))
    theirs = igraph.Graph.Read_GraphML(exchange.path("ours.graphml"))
    same("directed GraphML, read by igraph", (theirs.is_directed(), sorted(zip(*([theirs.vs[end]["id"].replace("&#38;", "&") for end in ends] for ends in zip(*theirs.get_edgelist()))))), (True, sorted(graph.edges)))
    for name in "ours.graphml", "ours.gexf", "ours.json":
        same(f"directed {name}, read by us", directed_facts(directed_from_json(exchange.read(name))), everything)
    same("directed ours.gml, read by us", directed_facts(directed_from_json(exchange.read("ours.gml"))), directed_facts(ints))
    edges = directed_facts(graph, nodes=False)
    for name, *options in ("ours.parquet",), ("ours-neo4j.csv",), ("ours-weighted.edges",):
        same(f"directed {name}, read by us", directed_facts(directed_from_json(exchange.read(name, *options)), nodes=False), edges)
    found = exchange.read("ours.csv", "directed=true")
    found["directed"] = True  # asked for
    same("directed ours.csv, read by us", directed_facts(directed_from_json(found), nodes=False), edges)
    weights = directed_facts(graph, nodes=False, edges={"weight"})
    if words:
        pajek = nx.DiGraph(nx.read_pajek(exchange.path("ours.net")))
        same("directed Pajek, read by networkx", directed_facts(pajek, nodes=False, edges={"weight"}), weights)
        same("directed ours.net, read by us", directed_facts(directed_from_json(exchange.read("ours.net")), nodes=False), weights)
    nx.write_graphml_xml(graph, exchange.path("theirs.graphml"))
    same("directed GraphML of networkx", directed_facts(directed_from_json(exchange.read("theirs.graphml"))), everything)
    nx.write_gexf(graph, exchange.path("theirs.gexf"))
    same("directed GEXF of networkx", directed_facts(directed_from_json(exchange.read("theirs.gexf"))), everything)
    with open(exchange.path("theirs.json"), "w", encoding="utf-8") as out:
        json.dump(nx.node_link_data(graph, link="links"), out)
    same("directed JSON of networkx", directed_facts(directed_from_json(exchange.read("theirs.json"))), everything)
    plain = without_sizes(graph)
    nx.write_gml(plain, exchange.path("theirs.gml"))
    same("directed GML of networkx", directed_facts(directed_from_json(exchange.read("theirs.gml"))), directed_facts(plain))
    numbered = nx.relabel_nodes(graph, {v: str(i + 1) for i, v in enumerate(graph)})
    scipy.io.mmwrite(exchange.path("theirs.mtx"), scipy.sparse.coo_matrix(nx.to_scipy_sparse_array(graph, weight="weight")))
    same("directed Matrix Market of scipy", directed_facts(directed_from_json(exchange.read("theirs.mtx")), nodes=False), directed_facts(numbered, nodes=False, edges={"weight"}))
    if words:
        nx.write_edgelist(graph, exchange.path("theirs.edges"))
        found = exchange.read("theirs.edges", "separator= ", "directed=true")
        found["directed"] = True
        same("directed edge list of networkx with dictionaries", directed_facts(directed_from_json(found), nodes=False), edges)
        texts = bare_nodes(graph)  # networkx writes the attributes of Pajek that are texts
        for _, _, data in texts.edges(data=True):
            for name in set(data) - {"weight", "code"}:
                del data[name]
            if "code" in data:
                data["code"] = "c" + data["code"]
        nx.write_pajek(texts, exchange.path("theirs.net"))
        same("directed Pajek of networkx", directed_facts(directed_from_json(exchange.read("theirs.net")), nodes=False), directed_facts(texts, nodes=False))


def exchange_vectors(exchange, keys, rows):
    want = {key: row.tolist() for key, row in zip(keys, rows)}
    for name, binary in ("ours.txt", False), ("ours.bin", True):
        vectors = KeyedVectors.load_word2vec_format(exchange.path(name), binary=binary)
        same(f"{name}, read by gensim", {key: vectors[key].tolist() for key in vectors.index_to_key}, want)
    same("ours.npy, read by numpy", np.load(exchange.path("ours.npy")).tolist(), rows.tolist())
    with open(exchange.path("ours.npy.keys"), encoding="utf-8") as text:
        same("ours.npy.keys", text.read().splitlines(), keys)
    theirs = KeyedVectors(rows.shape[1])
    theirs.add_vectors(keys, rows)
    for name, binary in ("theirs.txt", False), ("theirs.bin", True):
        theirs.save_word2vec_format(exchange.path(name), binary=binary)
        found = exchange.read(name)
        same(f"{name} of gensim", dict(zip(found["keys"], np.array(found["rows"], np.float32).tolist())), want)
    for kind in "<f4", ">f4", "<f8", ">f8", "<f2":
        np.save(exchange.path("theirs.npy"), rows.astype(kind))
        found = np.array(exchange.read("theirs.npy")["rows"], np.float32)
        same(f"theirs.npy of numpy in {kind}", found.tolist(), rows.astype(kind).astype(np.float32).tolist())


def execute(exchange, command, *statements):
    """Runs statements on a new file in the folder."""
    store = exchange.path("store.ht")
    if os.path.exists(store):
        os.remove(store)
    script = "".join(statement + ";\n" for statement in statements)
    done = subprocess.run([command, "exec", store], cwd=exchange.folder, input=script, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{script}{done.stderr}")


def through_command(exchange, command, graph, words):
    """We import what they wrote, store it, and export it; they read that."""
    everything = facts(graph, "values", True, True)
    execute(exchange, command, "IMPORT 'theirs.graphml' INTO g", "EXPORT GRAPH g INTO FILE 'stored.graphml'", "EXPORT GRAPH g INTO FILE 'stored.csv'", "EXPORT VERTICES OF g INTO FILE 'stored-vertices.csv'")
    same("GraphML through the command", facts(nx.read_graphml(exchange.path("stored.graphml")), "values", True, True), everything)
    tables = csv_graph(read_csv(exchange.path("stored.csv")), read_csv(exchange.path("stored-vertices.csv")))
    same("CSV through the command", facts(tables, "values", True, True), everything)
    for name, read in ("gexf", read_gexf), ("json", read_node_link):
        execute(exchange, command, f"IMPORT 'theirs.{name}' INTO g", f"EXPORT GRAPH g INTO FILE 'stored.{name}'")
        same(f"{name} through the command", facts(read(exchange.path(f"stored.{name}")), "values", True, True), everything)
    execute(exchange, command, "IMPORT 'theirs.mtx' INTO g", "EXPORT GRAPH g INTO FILE 'matrix.graphml'")
    numbered = nx.relabel_nodes(graph, {v: str(i + 1) for i, v in enumerate(graph)})
    same("Matrix Market through the command", facts(nx.read_graphml(exchange.path("matrix.graphml")), "keys", True, False), facts(numbered, "keys", True, False))
    if not words:
        return
    execute(exchange, command, "IMPORT 'theirs.edges.gz' INTO g WITH (weight := 3)", "EXPORT GRAPH g INTO FILE 'stored.edges'")
    same("edge list through the command", facts(nx.read_weighted_edgelist(exchange.path("stored.edges")), None, True, False), facts(graph, None, True, False))
    execute(exchange, command, "IMPORT 'theirs.adjlist' INTO g", "EXPORT GRAPH g INTO FILE 'adjacency.graphml'", "EMBED g USING laplacian_eigenmaps(dim := 5) AS e",
            "EXPORT EMBEDDING e INTO FILE 'e.txt'", "EXPORT EMBEDDING e INTO FILE 'e.bin'", "EXPORT EMBEDDING e INTO FILE 'e.npy'")
    same("adjacency list through the command", facts(nx.read_graphml(exchange.path("adjacency.graphml")), "keys", False, False), facts(graph, "keys", False, False))
    text, binary = (KeyedVectors.load_word2vec_format(exchange.path(name), binary=name == "e.bin") for name in ("e.txt", "e.bin"))
    with open(exchange.path("e.npy.keys"), encoding="utf-8") as lines:
        keys = lines.read().splitlines()
    same("keys of an embedding", [text.index_to_key, binary.index_to_key], [keys, keys])
    matrix = np.load(exchange.path("e.npy"))
    same("an embedding in three formats", [text.vectors.tolist(), binary.vectors.tolist()], [matrix.tolist(), matrix.tolist()])


def main():
    program, command = sys.argv[1:]
    rows = np.random.default_rng(1).standard_normal((40, 7)).astype(np.float32) * np.float32(10) ** np.arange(-3, 4, dtype=np.float32)
    plain = [f"v{i}" for i in range(30)] + ["Zoë", "北京", "007", "-1", "1.5", "a%b", "a=b", "x:y", "q.z", "'q'"]
    strange = plain[:30] + ["two words", "a,b", '"', 'say ""', " blank", "#1", "a#b", "<a>", "a\tb", "=1", "two\nlines", "a\rb", "a\r\nb", "\n", "Zoë\n北京", "a;b", "x|y", "&amp;"]
    for name, keys, words in ("plain keys", plain, True), ("strange keys", strange, False):
        print(name)
        graph = make_graph(keys, len(name))
        with tempfile.TemporaryDirectory() as folder:
            exchange = Exchange(program, folder)
            exchange.write(graph, plain, rows.tolist())
            ours_to_theirs(exchange, graph, words)
            ours_to_ours(exchange, graph)
            theirs_to_ours(exchange, graph, words)
            exchange_gml(exchange, graph)
            through_command(exchange, command, graph, words)
            if words:
                exchange_vectors(exchange, plain, rows)
        graph = make_digraph(keys, len(name))
        with tempfile.TemporaryDirectory() as folder:
            exchange = Exchange(program, folder)
            exchange.write(graph, plain, rows.tolist())
            exchange_directed(exchange, graph, words)
    if failures:
        sys.exit(f"{len(failures)} exchanges differ")


main()
