#!/usr/bin/python3
"""Moves graphs with attributes of vertices and edges from networkx to heavytail and back:

    edges.py HEAVYTAIL [Graph | DiGraph] …

The classes of networkx say whether the graphs are undirected or directed; without them there is one of each:

networkx, GraphML, heavytail, Parquet, heavytail, CSV, whose rows another program has put into another order, heavytail,
GEXF, networkx. The exit code is 1 if anything is lost.
"""
import csv
import os
import random
import sys
import tempfile

import networkx as nx

from journey import compare, facts, heavytail, make_graph, read_gexf


def shuffled(source, target):
    """Writes the rows of a CSV in another order."""
    with open(source, newline="", encoding="utf-8") as text:
        head, *rows = csv.reader(text)
    random.Random(2).shuffle(rows)
    with open(target, "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([head, *rows])


def main():
    program = os.path.abspath(sys.argv[1])
    for kind in [getattr(nx, name) for name in sys.argv[2:]] or (nx.Graph, nx.DiGraph):
        graph = make_graph(kind)
        for data in [data for _, data in graph.nodes(data=True)] + [data for _, _, data in graph.edges(data=True)]:
            for name in [name for name, value in data.items() if value == ""]:
                del data[name]  # CSV and GraphML have no empty texts
        want, name = facts(graph), kind.__name__
        options = f" WITH (directed := {str(graph.is_directed()).lower()})" if graph.is_directed() else ""
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            nx.write_graphml(graph, "networkx.graphml")
            heavytail(program, "first.ht", "IMPORT 'networkx.graphml' INTO g", "EXPORT GRAPH g INTO FILE 'back.graphml'",
                      "EXPORT GRAPH g INTO FILE 'edges.parquet'", "EXPORT VERTICES OF g INTO FILE 'people.parquet'")
            compare(f"{name} to GraphML to heavytail to GraphML", nx.read_graphml("back.graphml"), want)
            heavytail(program, "second.ht", "IMPORT 'edges.parquet' INTO g" + options, "IMPORT VERTICES 'people.parquet' INTO g",
                      "EXPORT GRAPH g INTO FILE 'edges.csv'", "EXPORT VERTICES OF g INTO FILE 'people.csv'")
            shuffled("edges.csv", "other-edges.csv")
            shuffled("people.csv", "other-people.csv")
            heavytail(program, "third.ht", "IMPORT 'other-edges.csv' INTO g" + options, "IMPORT VERTICES 'other-people.csv' INTO g",
                      "EXPORT GRAPH g INTO FILE 'heavytail.gexf'", "EXPORT GRAPH g INTO FILE 'heavytail.json'", "CHECK")
            compare(f"{name} by Parquet and CSV to GEXF", read_gexf("heavytail.gexf"), want)
            os.chdir("/")


main()
