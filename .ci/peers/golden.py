#!/usr/bin/python3
"""Writes files as other programs write them, for the tests of storage/format:

    golden.py FOLDER

FOLDER is storage/format/testdata. The expected values are in the tests, and were written by hand.
"""
import os
import sys

import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse
from gensim.models import KeyedVectors


def people():
    graph = nx.Graph()
    graph.add_node("ada", age=41, city="Bern", score=0.5, ok=True)
    graph.add_node("bob", age=7, note='a <b> & "c"\nd')
    graph.add_node("Zoë", city="北京", score=2.0, ok=False)
    graph.add_node("lone")
    graph.add_edge("ada", "bob", weight=0.5, time=1700000000)
    graph.add_edge("bob", "Zoë", weight=3.0, time=-5)
    graph.add_edge("Zoë", "ada", weight=1e-3, time=0)
    return graph


def main():
    os.chdir(sys.argv[1])
    graph = people()
    nx.write_graphml_xml(graph, "networkx.graphml", named_key_ids=False)
    mixed = nx.DiGraph()
    mixed.add_node(1, x=1)
    mixed.add_node(2, x=1.5)
    mixed.add_edge(1, 2, weight=2)
    mixed.add_edge(2, 1, weight=2.5)
    nx.write_graphml_xml(mixed, "networkx-mixed.graphml")
    nx.write_weighted_edgelist(graph, "networkx.edgelist")
    nx.write_edgelist(graph, "networkx-tab.edgelist", delimiter="\t", data=["weight", "time"])
    with open("networkx.adjlist", "wb") as out:
        out.write(b"# as networkx.write_adjlist has it, without the time of writing\n")
        for line in nx.generate_adjlist(graph):
            out.write((line + "\n").encode())
    matrix = nx.to_scipy_sparse_array(graph, weight="weight")
    scipy.io.mmwrite("scipy-symmetric.mtx", scipy.sparse.coo_matrix(matrix), comment="from scipy")
    scipy.io.mmwrite("scipy-general.mtx", scipy.sparse.coo_matrix(([2, 3], ([0, 2], [1, 1])), (3, 3)), field="integer", symmetry="general")
    scipy.io.mmwrite("scipy-pattern.mtx", scipy.sparse.coo_matrix(([1, 1], ([0, 2], [1, 1])), (4, 4)), field="pattern", symmetry="general")
    vectors = KeyedVectors(3)
    vectors.add_vectors(["ada", "Zoë"], np.array([[1, -0.5, 1e-20], [0.1, 3.4028235e38, 0]], np.float32))
    vectors.save_word2vec_format("gensim.txt")
    vectors.save_word2vec_format("gensim.bin", binary=True)
    np.save("numpy.npy", vectors.vectors)


main()
