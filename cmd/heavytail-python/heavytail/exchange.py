"""Graphs of networkx, as node-link JSON."""

import json


def node_link(graph):
    """Yields a networkx graph as node-link JSON, in parts."""
    seen = {}
    yield b'{"directed":true,"nodes":[' if graph.is_directed() else b'{"directed":false,"nodes":['
    comma = b""
    for node, attributes in graph.nodes(data=True):
        key = str(node)
        if seen.setdefault(key, node) is not node:
            raise ValueError(f"two nodes have the key {key!r}: {seen[key]!r} and {node!r}")
        yield comma + _object(attributes, id=key)
        comma = b","
    yield b'],"links":['
    comma = b""
    for source, target, attributes in graph.edges(data=True):
        yield comma + _object(attributes, source=str(source), target=str(target))
        comma = b","
    yield b"]}"


def _object(attributes, **own):
    for name in attributes:
        if name in own:
            raise ValueError(f"the attribute {name!r} has the name of a member of node-link JSON: rename it")
    return json.dumps({**own, **{str(name): _plain(value) for name, value in attributes.items()}}).encode()


def _plain(value):
    """A value of an attribute, which may be one of numpy; others are texts."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and value != value:
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def graph_of(vertices, edges, directed):
    """A networkx graph from the rows of SHOW VERTICES and SHOW EDGES."""
    import networkx

    graph = networkx.DiGraph() if directed else networkx.Graph()
    names = vertices.columns[2:]  # behind vertex and degree
    for key, _, *values in vertices:
        graph.add_node(key, **{name: value for name, value in zip(names, values) if value is not None})
    names = edges.columns[2:]  # weight and time, if the graph has any, and attributes
    for source, target, *values in edges:
        graph.add_edge(source, target, **{name: value for name, value in zip(names, values) if value is not None})
    return graph
