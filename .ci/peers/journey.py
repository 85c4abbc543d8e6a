#!/usr/bin/python3
"""Moves a graph with attributes through the programs that an analyst uses, and back, undirected and directed:

    journey.py HEAVYTAIL

networkx, node-link JSON, heavytail, Parquet, DuckDB, Parquet, heavytail, GEXF, networkx (which reads and writes it as
Gephi does), GEXF, heavytail, node-link JSON, networkx. The exit code is 1 if anything is lost. It runs in an
empty folder with the module @duckdb/node-api, which .ci/peers/parquet makes.
"""
import json
import os
import random
import subprocess
import sys

import networkx as nx

WORDS = ["Bern", "北京", "a,b", 'say "c"', "<&>", "two\nlines", "tab\there", "007", "true", "=1+1", ""]

DUCKDB = """
import { DuckDBInstance } from '@duckdb/node-api'
const duck = await (await DuckDBInstance.create(':memory:')).connect()
await duck.run("CREATE TABLE edges AS FROM 'edges.parquet'; CREATE TABLE people AS FROM 'people.parquet'")
await duck.run("COPY (SELECT * FROM edges ORDER BY hash(source, target)) TO 'duck-edges.parquet' (FORMAT parquet)")
await duck.run("COPY (SELECT * FROM people ORDER BY hash(vertex)) TO 'duck-people.parquet' (FORMAT parquet)")
"""


def make_graph(kind=nx.Graph):
    """Returns a graph of a class of networkx; a directed one has both edges between some vertices, which differ."""
    dice = random.Random(1)
    keys = [f"v{i}" for i in range(300)] + ["Zoë", "北京", "007", "two words", "a,b", 'say ""', "two\nlines", "a\r\nb", "<a>", "#1", "=1"]
    graph = kind()
    for i, key in enumerate(keys):
        values = {
            "age": dice.randrange(-9, 2**62), "score": dice.choice([dice.uniform(-1e6, 1e6), 3.0, 1e-300]), "ok": dice.random() < 0.5,
            "note": dice.choice(WORDS), "zip": f"{dice.randrange(10**5):05}", "label": dice.choice(["Ann", "Bob"]),
        }
        graph.add_node(key, **{name: value for name, value in values.items() if i == 0 or dice.random() < 0.6})
    for a in keys[:-1]:  # the last one has no edges
        for b in dice.sample(keys[:-1], 3):
            if a != b:
                graph.add_edge(a, b, weight=dice.choice([0.25, 3.0, 1.5]))
                if dice.random() < 0.5:
                    graph.edges[a, b]["time"] = dice.randrange(-(2**40), 2**40)
                values = {"kind": dice.choice(WORDS), "since": dice.randrange(1900, 2030), "trust": dice.choice([0.5, 2.0, 1e-9]), "near": dice.random() < 0.5}
                graph.edges[a, b].update((name, value) for name, value in values.items() if dice.random() < 0.6)
    return graph


def facts(graph):
    """Returns the vertices and the edges with their attributes, in an order of their own; the type of a value counts."""
    def typed(data):
        return sorted((name, type(value).__name__, value) for name, value in data.items())
    def ends(a, b):
        return [a, b] if graph.is_directed() else sorted((a, b))
    return sorted((v, typed(data)) for v, data in graph.nodes(data=True)), sorted((ends(a, b), typed(data)) for a, b, data in graph.edges(data=True))


def heavytail(program, store, *statements):
    done = subprocess.run([program, "exec", store], input="".join(s + ";\n" for s in statements), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


def compare(what, got, want):
    for name, have, should in zip(("vertices", "edges"), facts(got), want):
        if have != should:
            differing = [(h, s) for h, s in zip(have, should) if h != s][:3]
            sys.exit(f"{what}: {len(have)} {name} instead of {len(should)}; {differing}")
    print(f"  {what}")


def read_gexf(path):
    """Reads GEXF without what networkx adds: ids of edges, and labels of nodes that have none of their own."""
    graph = nx.read_gexf(path)
    for key, data in graph.nodes(data=True):
        if data["label"] == key:
            del data["label"]
    for _, _, data in graph.edges(data=True):
        data.pop("id", None)
    return graph


def main():
    program = sys.argv[1]
    for kind in nx.Graph, nx.DiGraph:
        os.makedirs(f"journey/{kind.__name__}")
        os.chdir(f"journey/{kind.__name__}")
        move(program, kind)
        os.chdir("../..")


def move(program, kind):
    graph, name = make_graph(kind), kind.__name__
    want = facts(graph)
    # DuckDB keeps no metadata of the file.
    options = " WITH (directed := TRUE)" if graph.is_directed() else ""
    with open("networkx.json", "w", encoding="utf-8") as out:
        json.dump(nx.node_link_data(graph), out)
    heavytail(program, "first.ht", "IMPORT 'networkx.json' INTO g", "EXPORT GRAPH g INTO FILE 'edges.parquet'", "EXPORT VERTICES OF g INTO FILE 'people.parquet'")
    subprocess.run(["node", "--input-type=module", "-e", DUCKDB], check=True)
    heavytail(program, "second.ht", f"IMPORT 'duck-edges.parquet' INTO g{options}", "IMPORT VERTICES 'duck-people.parquet' INTO g", "EXPORT GRAPH g INTO FILE 'heavytail.gexf'")
    drawn = read_gexf("heavytail.gexf")
    compare(f"{name}: networkx to heavytail to DuckDB to heavytail to GEXF", drawn, want)
    nx.write_gexf(drawn, "gephi.gexf")
    heavytail(program, "third.ht", "IMPORT 'gephi.gexf' INTO g", "EXPORT GRAPH g INTO FILE 'heavytail.json'")
    with open("heavytail.json", encoding="utf-8") as text:
        compare(f"{name}: and back by GEXF and node-link JSON", nx.node_link_graph(json.load(text)), want)


if __name__ == "__main__":
    main()
