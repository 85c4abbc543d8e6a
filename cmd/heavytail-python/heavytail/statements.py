"""The statements as methods of Database. Made from HELP by the test TestPython_Generated of cmd/heavytail: do not edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Optional, Union

from .language import Condition, Key, Method, Statement, Value, Vector
from .table import Picture, Table

Progress = Callable[[dict], None]

EmbeddingMethod = Literal[
    "unit_ball", "dp_spectral", "laplacian_eigenmaps", "fastrp", "prone", "netmf", "dp_walker", "deepwalk",
    "node2vec",
]
Measure = Literal[
    "degree", "strength", "triangles", "clustering", "core", "in_degree", "out_degree", "in_strength",
    "out_strength", "pagerank", "eigenvector", "katz", "authority", "hub", "closeness", "harmonic", "betweenness",
    "eccentricity", "component", "strong_component", "community",
]
Generator = Literal[
    "preferential_attachment", "vazquez", "erdos_renyi", "stochastic_block", "watts_strogatz",
]
Scorer = Literal[
    "common_neighbors", "jaccard", "sorensen", "lhn", "hub_promoted", "hub_depressed", "adamic_adar",
    "resource_allocation", "recent_neighbors", "preferential_attachment", "katz", "local_path", "l3", "l2",
    "cosine", "dot", "probability",
]


class Statements:
    """The statements of a file as methods.

    Arguments that are None are left out of the statement, so that its default holds. columns, where, order_by (with
    descending), limit and offset choose and sort the rows of an answer; with arrow they come as columns, which is
    faster where they are many. progress is called as that of Database.query is.
    """

    def _run(
        self, statement: Statement, *, arrow: bool = False, progress: Optional[Progress] = None,
        data: Optional[Union[bytes, Iterable[bytes]]] = None,
    ) -> Table:
        raise NotImplementedError

    def plot(self, kind: str, *names: str, **flags: Value) -> Picture:
        raise NotImplementedError

    def generate(
        self, generator: Union[Generator, str], graph: str, **options: Value
    ) -> Table:
        """Creates a random graph; SHOW GENERATORS lists models.

        Options of each, with their defaults:

        - preferential_attachment(n, m, seed := 0)
        - vazquez(n, p, rule := 'random_walk', seed := 0)
        - erdos_renyi(n, p := 0, m := 0, seed := 0)
        - stochastic_block(sizes, p_in := 0, p_out := 0, matrix := '', seed := 0)
        - watts_strogatz(n, k, beta, seed := 0)

        Columns: graph, vertices, edges, seconds.
        """
        s = Statement("GENERATE")
        s.call("", generator, options)
        s.name("INTO", graph)
        return self._run(s)

    def create_graph(self, graph: str) -> Table:
        """Creates an empty graph, or with AS one from others: a part, sample, null model, forest, union or nearest neighbours.

        Vertices and edges keep their attributes. SUBGRAPH keeps the vertices that meet a condition and the edges
        between them, or only the edges whose weight, time, attributes, or ends by BOTH (…) or EITHER (…) meet the
        condition. COMPONENT keeps the largest component, or the component of a vertex. EGO keeps a vertex, the
        vertices up to n edges away (WITHIN, 1 by default), and the edges between them. SAMPLE draws random vertices
        or edges. NULL makes the null model: the same vertices with the same degrees, random edges, without weights,
        times and attributes; of a directed graph, the same in- and out-degrees. SPANNING FOREST keeps all vertices
        and, of each component, the edges that join it with the smallest sum of weights; of equal weights those
        between the vertices that came into the graph first. UNION combines several graphs; vertices with the same key
        are the same vertex, and it is directed if one of them is. NEAREST joins each vertex of an embedding with its
        n nearest and takes the similarities as weights; with MUTUAL it joins two vertices only if each is among the
        nearest of the other. UNDIRECTED is the undirected view of a directed graph, and REVERSED has its edges in the
        other direction; parts and samples of a directed graph are directed. IMPORT and GENERATE create their graphs
        themselves.

        Columns: with AS: graph, vertices, edges, seconds.
        """
        s = Statement("CREATE GRAPH")
        s.name("", graph)
        return self._run(s)

    def create_directed_graph(self, graph: str) -> Table:
        """Creates an empty graph, whose edges have a direction.

        Up to two edges join two vertices, one in each direction, each with its own weight and time. INSERT EDGE,
        UPDATE EDGE and DELETE EDGE name the source first. Conditions and columns have in_degree and out_degree beside
        degree, which counts neighbours in either direction. What has no direction, such as components and most
        embeddings, reads the undirected view: vertices are neighbours if an edge leads from one to the other, with
        the sum of the weights and the later time. CREATE GRAPH … AS UNDIRECTED stores that view.
        """
        s = Statement("CREATE DIRECTED GRAPH")
        s.name("", graph)
        return self._run(s)

    def drop_graph(
        self, graph: str, *, cascade: bool = False,
    ) -> Table:
        """Removes a graph; CASCADE also embeddings and models."""
        s = Statement("DROP GRAPH")
        s.name("", graph)
        s.word("CASCADE", cascade)
        return self._run(s)

    def import_graph(
        self, file: str, graph: str, *,
        format: Optional[Literal["auto", "edges", "adjacency", "matrix", "metis", "pajek", "matrix_market", "graphml", "gexf", "json", "gml", "parquet", "arrow"]] = None,
        source: Optional[Union[str, int]] = None, target: Optional[Union[str, int]] = None,
        weight: Optional[Union[str, int]] = None, time: Optional[Union[str, int]] = None,
        time_unit: Optional[Literal["none", "s", "ms", "us", "ns"]] = None,
        repeated: Optional[Literal["last", "first", "sum", "min", "max", "count"]] = None, keys: Optional[str] = None,
        key: Optional[str] = None, directed: Optional[Literal["auto", "true", "false"]] = None,
        ends: Optional[Literal["auto", "id", "index"]] = None,
        header: Optional[Literal["auto", "none", "names", "counts", "true", "false"]] = None,
        separator: Optional[str] = None, on_error: Optional[Literal["fail", "skip"]] = None,
        max_line: Optional[int] = None, max_key: Optional[int] = None, max_bytes: Optional[int] = None,
        max_lines: Optional[int] = None, data: Optional[Union[bytes, Iterable[bytes]]] = None,
    ) -> Table:
        """Adds the edges of a file: text, CSV, GraphML, GEXF, GML, JSON, Pajek, Matrix Market, METIS, Parquet or Arrow.

        Text may be compressed. '-' is standard input.

        - format: form of the text; auto goes by its first bytes and the ending of the file's name (default 'auto').
        - source: column of one end; by default one of a known name, else the first (default '').
        - target: column of the other end; by default one of a known name, else the second (default '').
        - weight: column of weights; by default weight, w or value in the header, 'none' takes none (default '').
        - time: column of timestamps, integers or dates; by default time, timestamp, ts or date in the header, 'none'
          takes none (default '').
        - time_unit: unit of times that are numbers since 1970, which makes dates of them: seconds (s), milliseconds
          (ms), microseconds (us) or nanoseconds (ns) (default 'none').
        - repeated: weight of an edge that occurs again or exists already: the last, first, sum, min or max, or the
          number of occurrences (default 'last').
        - keys: file with the keys of the vertices of METIS, one a line; by default the name of the graph's file with
          .keys appended, if there is one, and 'none' uses the numbers of the vertices from 1 on (default '').
        - key: attribute of nodes in GML that is the key, such as 'id' or 'label'; by default label if each node has
          one of its own, else id (default '').
        - directed: whether the edges of a new graph have a source and a target; auto goes by what the text says, and
          otherwise they have not (default 'auto').
        - ends: what the ends of links in node-link JSON are: ids of nodes, or their places counted from 0; auto goes
          by the content (default 'auto').
        - header: what the first line is: column names (names or TRUE), the counts n and m, or an edge (none or FALSE)
          (default 'auto').
        - separator: what separates columns: auto, whitespace, tab, comma, semicolon or bar (default 'auto').
        - on_error: what happens at a bad line: fail ends the statement, skip counts the line and leaves it out
          (default 'fail').
        - max_line: largest length of a line in bytes; 64 times as many in an adjacency list (default 1048576).
        - max_key: largest length of a vertex key in bytes (default 1024).
        - max_bytes: largest length of the text in bytes, after decompression (default 68719476736).
        - max_lines: most lines; 0 for any number (default 0).
        - data: what the statement reads as the file '-'.

        Columns: graph, vertices, edges, duplicates, self_loops, skipped, seconds.
        """
        s = Statement("IMPORT")
        s.value("", file)
        s.name("INTO", graph)
        s.options({"format": format, "source": source, "target": target, "weight": weight, "time": time, "time_unit": time_unit, "repeated": repeated, "keys": keys, "key": key, "directed": directed, "ends": ends, "header": header, "separator": separator, "on_error": on_error, "max_line": max_line, "max_key": max_key, "max_bytes": max_bytes, "max_lines": max_lines})
        return self._run(s, data=data)

    def import_vertices(
        self, file: str, graph: str, *, key: Optional[Union[str, int]] = None, columns: Optional[str] = None,
        join: Optional[str] = None,
        header: Optional[Literal["auto", "none", "names", "counts", "true", "false"]] = None,
        separator: Optional[str] = None, on_error: Optional[Literal["fail", "skip"]] = None,
        max_line: Optional[int] = None, max_key: Optional[int] = None, max_bytes: Optional[int] = None,
        max_lines: Optional[int] = None, data: Optional[Union[bytes, Iterable[bytes]]] = None,
    ) -> Table:
        """Adds the vertices of a table, one per line, and sets their attributes from its columns.

        - key: column of the keys; by default key, id, vertex or node in the header, else the first (default '').
        - columns: comma-separated columns to take as attributes, all by default; for a table without a header, the
          names of its columns (default '').
        - join: text that joins the values of a vertex that occurs again, such as ','; by default the last value
          counts (default '').
        - header: what the first line is: column names (names or TRUE), the counts n and m, or an edge (none or FALSE)
          (default 'auto').
        - separator: what separates columns: auto, whitespace, tab, comma, semicolon or bar (default 'auto').
        - on_error: what happens at a bad line: fail ends the statement, skip counts the line and leaves it out
          (default 'fail').
        - max_line: largest length of a line in bytes; 64 times as many in an adjacency list (default 1048576).
        - max_key: largest length of a vertex key in bytes (default 1024).
        - max_bytes: largest length of the text in bytes, after decompression (default 68719476736).
        - max_lines: most lines; 0 for any number (default 0).
        - data: what the statement reads as the file '-'.

        Columns: graph, vertices, inserted, updated, skipped, seconds.
        """
        s = Statement("IMPORT VERTICES")
        s.value("", file)
        s.name("INTO", graph)
        s.options({"key": key, "columns": columns, "join": join, "header": header, "separator": separator, "on_error": on_error, "max_line": max_line, "max_key": max_key, "max_bytes": max_bytes, "max_lines": max_lines})
        return self._run(s, data=data)

    def export_graph(
        self, graph: str, file: str, *, overwrite: Optional[bool] = None,
        format: Optional[Literal["auto", "edges", "csv", "graphml", "gexf", "json", "gml", "pajek", "metis", "neo4j", "parquet", "arrow", "arrow_stream"]] = None,
        times: Optional[Literal["auto", "iso", "unix"]] = None, spreadsheet: Optional[bool] = None,
    ) -> Table:
        """Writes the edges of a graph as text, CSV, Neo4j's CSV, METIS, Pajek, Parquet or Arrow, or all as GraphML, GEXF, GML or JSON.

        Weights, times and attributes of edges are written with the edges (METIS and Pajek leave out what they do not
        have), attributes of vertices in the last four. Text is compressed if the name ends in .gz or .zst.

        - overwrite: replace a file that exists (default FALSE).
        - format: form of the file; auto goes by the ending of its name (default 'auto').
        - times: form of the times of edges, as dates or as seconds since 1970; auto is the form in which they came
          into the graph (default 'auto').
        - spreadsheet: in CSV, put an apostrophe before text that a spreadsheet could take for a formula (default
          FALSE).

        Columns: file, edges.
        """
        s = Statement("EXPORT GRAPH")
        s.name("", graph)
        s.value("INTO FILE", file)
        s.options({"overwrite": overwrite, "format": format, "times": times, "spreadsheet": spreadsheet})
        return self._run(s)

    def export_vertices(
        self, graph: str, file: str, *, overwrite: Optional[bool] = None,
        format: Optional[Literal["auto", "csv", "neo4j", "parquet", "arrow", "arrow_stream"]] = None,
        spreadsheet: Optional[bool] = None,
    ) -> Table:
        """Writes vertices with their attributes as CSV, Parquet or Arrow.

        CSV is compressed if the name ends in .gz or .zst.

        - overwrite: replace a file that exists (default FALSE).
        - format: form of the file; auto goes by the ending of its name (default 'auto').
        - spreadsheet: in CSV, put an apostrophe before text that a spreadsheet could take for a formula (default
          FALSE).

        Columns: file, vertices.
        """
        s = Statement("EXPORT VERTICES")
        s.name("OF", graph)
        s.value("INTO FILE", file)
        s.options({"overwrite": overwrite, "format": format, "spreadsheet": spreadsheet})
        return self._run(s)

    def describe_graph(
        self, graph: str, *, all: bool = False, bootstrap: Optional[int] = None, seed: Optional[int] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Reports size, components, degrees, clustering, the power law, the least dimension of the largest hub, and of a directed graph reciprocity and strong components.

        It shows one screen of properties, and with ALL all of them: also the diameter of the largest component, exact
        or as the bounds that searches from 127 vertices leave (COMPUTE eccentricity is exact), and what takes the
        space of the file.

        - bootstrap: synthetic data sets for the p-value of the power law; 2500 give an accuracy of 0.01, 0 leaves it
          out (default 0).
        - seed: the same seed gives the same p-value (default 0).

        Columns: property, value.
        """
        s = Statement("DESCRIBE GRAPH")
        s.name("", graph)
        s.word("ALL", all)
        s.options({"bootstrap": bootstrap, "seed": seed})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def describe_vertex(
        self, vertex: Key, graph: Optional[str] = None, *, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Reports degree, times and attributes of a vertex, without loading its graph.

        Columns: property, value.
        """
        s = Statement("DESCRIBE VERTEX")
        s.key("", vertex)
        s.name("IN", graph)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def vertices(
        self, graph: Optional[str] = None, *, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists vertices, all or by a condition, in the order in which they came or sorted by a column.

        Vertices without a value are last. LIMIT keeps the first rows.

        Columns: vertex, degree, and one column for each attribute; with COLUMNS: vertex, and those.
        """
        s = Statement("SHOW VERTICES")
        s.name("IN", graph)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def edges(
        self, graph: Optional[str] = None, *, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists each edge once, all or by a condition on its weight, its time, its attributes and its two vertices.

        In an undirected graph its source is the vertex that came into the graph first. A condition tests the weight,
        time and attributes of an edge, and by BOTH (condition) or EITHER (condition) its two vertices. Edges are
        ordered by source and target, or sorted by a column with edges without a value last; LIMIT keeps the first
        rows.

        Columns: source, target, weight and time if the graph has any, and the attributes of edges; with COLUMNS:
        source, target and the columns named; an attribute of vertices gives two columns, source_attribute and
        target_attribute.
        """
        s = Statement("SHOW EDGES")
        s.name("IN", graph)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def neighbors(
        self, vertex: Key, graph: Optional[str] = None, *, within: Optional[int] = None,
        direction: Optional[Literal["both", "out", "in"]] = None, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists the neighbours of a vertex, or WITHIN all vertices up to n edges away, the nearest first.

        Neighbours have the weights, times and attributes of their edges, and the order in which they came into the
        graph. LIMIT keeps the first rows.

        - direction: in a directed graph: edges from the vertex (out), to it (in), or both (default 'both').

        Columns: vertex, with WITHIN distance, degree, without WITHIN the direction in a directed graph, weight and
        time if the graph has any and the attributes of edges, and one column for each attribute; one of edges is
        edge_attribute if vertices have the same.
        """
        s = Statement("SHOW NEIGHBORS")
        s.key("OF", vertex)
        s.count("WITHIN", within)
        s.name("IN", graph)
        s.options({"direction": direction})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def attributes(
        self, graph: Optional[str] = None, *, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists the attributes of the vertices, how many have a value, and for computed ones how far they are behind.

        For attributes that COMPUTE stored there are the measure, how many versions newer the graph is, and how many
        vertices have different edges since.

        Columns: attribute, type, vertices, missing, measure, version, behind, changed, created.
        """
        s = Statement("SHOW ATTRIBUTES")
        s.name("IN", graph)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def path(
        self, source: Key, target: Key, graph: Optional[str] = None, *, by_weight: bool = False,
        direction: Optional[Literal["out", "in", "both"]] = None, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds a path with the fewest edges between two vertices, or BY WEIGHT one with the smallest sum of weights.

        The result has no rows if there is no path.

        - direction: in a directed graph: edges from the vertex (out), to it (in), or both (default 'out').

        Columns: step, vertex, length.
        """
        s = Statement("PATH")
        s.key("FROM", source)
        s.key("TO", target)
        s.name("IN", graph)
        s.word("BY WEIGHT", by_weight)
        s.options({"direction": direction})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def paths(
        self, source: Key, target: Key, n: int, graph: Optional[str] = None, *, by_weight: bool = False,
        direction: Optional[Literal["out", "in", "both"]] = None, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds the n shortest paths between two vertices.

        No path comes to a vertex twice, and the shortest is first: it has the fewest edges, or BY WEIGHT the smallest
        sum of weights; of equal paths the first is the one whose vertices came into the graph first. There are fewer
        rows if there are fewer paths.

        - direction: in a directed graph: edges from the vertex (out), to it (in), or both (default 'out').

        Columns: path, step, vertex, length.
        """
        s = Statement("PATHS")
        s.count("", n)
        s.key("FROM", source)
        s.key("TO", target)
        s.name("IN", graph)
        s.word("BY WEIGHT", by_weight)
        s.options({"direction": direction})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def count_vertices(
        self, graph: Optional[str] = None, *, where: Optional[Condition] = None, by: Optional[str] = None,
        columns: Optional[Iterable[str]] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Counts vertices, BY for each value of an attribute or degree, with sums, means, minima and maxima.

        The most frequent value is first, and vertices without a value are last. WITH adds the sum, mean, minimum or
        maximum of a numeric attribute or of the degree over the vertices that have a value.

        - where: a condition in the language, such as "age >= 40"; Where("age >= $least", least=40) has parameters.

        Columns: vertices; with BY: the attribute, vertices; with WITH: also sum_attribute, mean_attribute, ….
        """
        s = Statement("COUNT VERTICES")
        s.name("IN", graph)
        s.condition("WHERE", where)
        s.name("BY", by)
        s.rows(columns=columns, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def count_edges(
        self, graph: Optional[str] = None, *, where: Optional[Condition] = None, by: Optional[str] = None,
        columns: Optional[Iterable[str]] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Counts edges, BY for each value of an attribute, of the weight or of the time, with sums, means, minima and maxima.

        Conditions are those of SHOW EDGES. The most frequent value is first, and edges without a value are last. WITH
        adds the sum, mean, minimum or maximum of a numeric attribute, of the weight or of the time over the edges
        that have a value.

        - where: a condition in the language, such as "age >= 40"; Where("age >= $least", least=40) has parameters.

        Columns: edges; with BY: the attribute, edges; with WITH: also sum_attribute, mean_attribute, ….
        """
        s = Statement("COUNT EDGES")
        s.name("IN", graph)
        s.condition("WHERE", where)
        s.name("BY", by)
        s.rows(columns=columns, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def compute(
        self, measure: Union[Measure, str], graph: str, attribute: Optional[str] = None, *,
        start: Optional[Iterable[Key]] = None, background: bool = False, overwrite: Optional[bool] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
        progress: Optional[Progress] = None, **options: Value
    ) -> Table:
        """Computes a measure of every vertex, such as pagerank or community, and stores it with AS as an attribute.

        It is then for use in WHERE, BY and SHOW VERTICES. SHOW MEASURES lists the measures. With AS, a computation of
        more than two seconds becomes a job.

        - overwrite: replace an attribute that exists (default FALSE).

        Options of each, with their defaults:

        - degree()
        - strength()
        - triangles()
        - clustering()
        - core()
        - in_degree()
        - out_degree()
        - in_strength()
        - out_strength()
        - pagerank(damping := 0.85, tolerance := 1e-12, weighted := TRUE, direction := 'in')
        - eigenvector(tolerance := 1e-10, weighted := TRUE)
        - katz(alpha := 0, weighted := TRUE, direction := 'in')
        - authority(tolerance := 1e-10, weighted := TRUE)
        - hub(tolerance := 1e-10, weighted := TRUE)
        - closeness(weighted := FALSE, direction := 'in')
        - harmonic(weighted := FALSE, normalized := FALSE, sources := 0, seed := 0, direction := 'in')
        - betweenness(weighted := FALSE, normalized := FALSE, sources := 0, seed := 0)
        - eccentricity(direction := 'out')
        - component()
        - strong_component()
        - community(method := 'leiden', quality := 'modularity', resolution := 1, iterations := 4, weighted := TRUE,
          seed := 0)

        Columns: vertex, value; with AS: attribute, measure, vertices, min, mean, max, seconds; in the background
        those of SHOW JOBS.
        """
        s = Statement("COMPUTE")
        s.call("", measure, options)
        s.name("IN", graph)
        s.keys("FROM", start)
        s.name("AS", attribute)
        s.options({"overwrite": overwrite})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def refresh_measure(
        self, attribute: str, graph: str, *, background: bool = False, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
        progress: Optional[Progress] = None,
    ) -> Table:
        """Computes a stored measure again, with the same options, if the graph has changed since.

        SHOW ATTRIBUTES shows which measures are behind. kind is none or full.

        Columns: attribute, measure, kind, versions, changed, seconds; in the background those of SHOW JOBS.
        """
        s = Statement("REFRESH MEASURE")
        s.name("", attribute)
        s.name("IN", graph)
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def embed(
        self, graph: str, name: str, method: Union[EmbeddingMethod, str] = "dp_spectral", *, background: bool = False,
        state: Optional[bool] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False, progress: Optional[Progress] = None, **options: Value
    ) -> Table:
        """Computes a vector for every vertex and stores the vectors as an embedding.

        An embedding of that name is replaced when the new one is complete, and its indexes are rebuilt; models and
        predictions that use it must then be computed again, unless the vectors are the same. A run of more than two
        seconds becomes a job, which can be resumed after it was stopped.

        - state: store the state that REFRESH continues from; without it, REFRESH always computes the embedding in
          full (default TRUE).

        Options of each, with their defaults:

        - unit_ball(dim := 128, start := 'random', start_embedding := '', anchor := 0, margin := 0.05, passes := 300,
          rounds := 12, step := 0.3, balance := 0.1, tolerance := 0, seed := 0)
        - dp_spectral(dim := 200, beta := 'auto', common := 'auto', normalization := 'auto', scale := 0.25, row_scale
          := 'auto', tolerance := 0.0001, seed := 0, components := 'apart', weights := TRUE)
        - laplacian_eigenmaps(dim := 200, scale := 0.25, row_scale := 0.5, tolerance := 0.0001, seed := 0, components
          := 'apart', weights := TRUE)
        - fastrp(dim := 200, beta := -0.25, alpha1 := 0, alpha2 := 1, alpha3 := 1, alpha4 := 0, row_norm := 0,
          row_scale := 0.25, weights := TRUE, seed := 0)
        - prone(dim := 200, order := 10, mu := 0, theta := 0.5, row_norm := 1, row_scale := 0.15, weights := TRUE,
          seed := 0)
        - netmf(dim := 200, window := 10, negative := 1, entries := 268435456, row_norm := 1, row_scale := 0.2,
          weights := TRUE, seed := 0)
        - dp_walker(dim := 200, walks := 10, length := 40, window := 10, epochs := 2, alpha := 0.05, negative := 0,
          beta := 0.25, common := 0, row_norm := 0.75, row_scale := 0.2, weights := TRUE, partitions := 2, seed := 0)
        - deepwalk(dim := 200, walks := 10, length := 40, window := 10, epochs := 2, alpha := 0.05, negative := 0,
          row_norm := 0.75, row_scale := 0.2, weights := TRUE, direction := 'both', partitions := 2, seed := 0)
        - node2vec(dim := 200, walks := 10, length := 40, window := 10, epochs := 2, alpha := 0.05, negative := 0, p
          := 1, q := 1, row_norm := 0.75, row_scale := 0.2, weights := TRUE, direction := 'both', partitions := 2, seed
          := 0)

        Columns: embedding, method, dim, vertices, seconds, residual; in the background those of SHOW JOBS.
        """
        s = Statement("EMBED")
        s.name("", graph)
        s.call("USING", method, options)
        s.name("AS", name)
        s.options({"state": state})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def refresh(
        self, embedding: str, *, background: bool = False, tolerance: Optional[float] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
        progress: Optional[Progress] = None,
    ) -> Table:
        """Brings an embedding up to date with its graph and stores the result as the next generation.

        It works from the changes where possible, and otherwise computes in full. kind is none, incremental, or full
        if more than half of the vertices were computed in full; drift is the distance that vertices moved, relative
        to their norms.

        - tolerance: residual of an eigenpair, relative to the largest eigenvalue, above which a spectral embedding is
          solved in full (default 0.02).

        Columns: embedding, kind, generation, versions, touched, residual, mean_drift, max_drift, seconds, reason; in
        the background those of SHOW JOBS.
        """
        s = Statement("REFRESH")
        s.name("", embedding)
        s.options({"tolerance": tolerance})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def verify(
        self, embedding: str, *, background: bool = False, sample: Optional[int] = None, seed: Optional[int] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
        progress: Optional[Progress] = None,
    ) -> Table:
        """Computes an embedding in full, stores nothing, and compares it with the stored one.

        It compares nearest neighbours, the angles in degrees between the subspaces (spectral methods),
        reconstruction, and how well distances separate edges from other pairs.

        - sample: number of vertices whose nearest neighbours are compared; ten times as many edges are compared with
          pairs without an edge, and the degrees of twice as many vertices with those of the reconstruction (default
          1000).
        - seed: seed of the sample (default 0).

        Columns: measure, stored, full; in the background those of SHOW JOBS, whose result has them.
        """
        s = Statement("VERIFY")
        s.name("", embedding)
        s.options({"sample": sample, "seed": seed})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def import_embedding(
        self, file: str, graph: str, name: str, *,
        format: Optional[Literal["auto", "word2vec", "word2vec_binary", "npy", "parquet", "arrow", "arrow_stream"]] = None,
        keys: Optional[str] = None, key: Optional[Union[str, int]] = None, vector: Optional[Union[str, int]] = None,
        no_vector: Optional[Literal["fail", "zero"]] = None, no_vertex: Optional[Literal["fail", "skip"]] = None,
        data: Optional[Union[bytes, Iterable[bytes]]] = None,
    ) -> Table:
        """Reads vectors from a file (word2vec, Parquet, Arrow or numpy) and stores them as an embedding.

        Word2vec files are text or binary, and a matrix of numpy has a file of keys. The method is imported, which
        REFRESH cannot update.

        - format: form of the file; auto goes by the ending of its name (default 'auto').
        - keys: file with the keys of the rows of a numpy matrix, one a line; by default the name of the matrix with
          .keys appended, and 'none' uses the row numbers from 0 as keys (default '').
        - key: column of the keys in Parquet or Arrow; by default vertex, key, id or node, else the first that can
          have keys (default '').
        - vector: column of the vectors in Parquet or Arrow; by default vector or embedding, else the first of lists
          (default '').
        - no_vector: whether a vertex without a vector ends the statement or gets zeros, which are similar to nothing
          (default 'fail').
        - no_vertex: whether a vector of a key that the graph does not have ends the statement or is left out (default
          'fail').
        - data: what the statement reads as the file '-'.

        Columns: embedding, dim, vertices, missing, unknown, seconds.
        """
        s = Statement("IMPORT EMBEDDING")
        s.value("", file)
        s.name("INTO", graph)
        s.name("AS", name)
        s.options({"format": format, "keys": keys, "key": key, "vector": vector, "no_vector": no_vector, "no_vertex": no_vertex})
        return self._run(s, data=data)

    def export_embedding(
        self, embedding: str, file: str, *, overwrite: Optional[bool] = None,
        format: Optional[Literal["auto", "word2vec", "word2vec_binary", "npy", "parquet", "arrow", "arrow_stream"]] = None,
    ) -> Table:
        """Writes an embedding as word2vec text or binary, as Parquet or Arrow, or as a numpy matrix.

        A matrix has the keys of its rows in 'file.keys'.

        - overwrite: replace a file that exists (default FALSE).
        - format: form of the file; auto goes by the ending of its name (default 'auto').

        Columns: file, vectors.
        """
        s = Statement("EXPORT EMBEDDING")
        s.name("", embedding)
        s.value("INTO FILE", file)
        s.options({"overwrite": overwrite, "format": format})
        return self._run(s)

    def nearest(
        self, embedding: str, to: Union[Key, Sequence[Key], Vector], k: int = 10, *,
        metric: Optional[Literal["l2", "cosine", "dot"]] = None, fresh: bool = False, exact: bool = False,
        first: Optional[int] = None, count: Optional[Union[int, Literal["all"]]] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds the vertices whose vectors are nearest to those of a vertex, of several, or of every vertex.

        Nearest is first; metrics are l2, cosine and dot; with several query vertices the centroid is used (of unit
        vectors under cosine); query vertices are excluded from the result. FRESH brings the embedding up to date
        first, as REFRESH does. EXACT searches without an index, because an index may miss some vertices. FOR ALL
        finds the k nearest of every vertex that has a vector, in the order of the graph; FOR FILE finds those of the
        vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph
        does not have. WHERE decides during the search which vertices are found, and ORDER BY sorts the k that were
        found. FOR cannot be combined with FRESH, and the options first and count choose some of its vertices.

        - to: a vertex, several vertices, for their centroid, or a vector.
        - first: number of the first vertex with FOR ALL, or key of the file with FOR FILE, from 0; a file of CSV or
          TSV that does not begin with number 0 has no header (default 0).
        - count: largest number of vertices or keys; all takes all that follow the first one (default 'all').

        Columns: vertex, distance (l2) or similarity (cosine and dot); with FOR: source, rank, target, distance or
        similarity.
        """
        s = Statement("NEAREST")
        s.count("", k)
        s.target("TO", to)
        s.space("USING", embedding, metric)
        s.word("FRESH", fresh)
        s.word("EXACT", exact)
        s.options({"first": first, "count": count})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def nearest_of_all(
        self, embedding: str, k: int = 10, *, metric: Optional[Literal["l2", "cosine", "dot"]] = None,
        fresh: bool = False, exact: bool = False, first: Optional[int] = None,
        count: Optional[Union[int, Literal["all"]]] = None, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds the vertices whose vectors are nearest to those of a vertex, of several, or of every vertex.

        Nearest is first; metrics are l2, cosine and dot; with several query vertices the centroid is used (of unit
        vectors under cosine); query vertices are excluded from the result. FRESH brings the embedding up to date
        first, as REFRESH does. EXACT searches without an index, because an index may miss some vertices. FOR ALL
        finds the k nearest of every vertex that has a vector, in the order of the graph; FOR FILE finds those of the
        vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph
        does not have. WHERE decides during the search which vertices are found, and ORDER BY sorts the k that were
        found. FOR cannot be combined with FRESH, and the options first and count choose some of its vertices.

        - first: number of the first vertex with FOR ALL, or key of the file with FOR FILE, from 0; a file of CSV or
          TSV that does not begin with number 0 has no header (default 0).
        - count: largest number of vertices or keys; all takes all that follow the first one (default 'all').

        Columns: vertex, distance (l2) or similarity (cosine and dot); with FOR: source, rank, target, distance or
        similarity.
        """
        s = Statement("NEAREST")
        s.count("", k)
        s.space("FOR ALL USING", embedding, metric)
        s.word("FRESH", fresh)
        s.word("EXACT", exact)
        s.options({"first": first, "count": count})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def within(
        self, embedding: str, of: Union[Key, Sequence[Key], Vector], *, radius: Optional[float] = None,
        epsilon: Optional[float] = None, metric: Optional[Literal["l2", "cosine", "dot"]] = None, exact: bool = False,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds all vertices within a distance, or with an edge probability of at least a given one.

        The probability is 1/(1+e^distance). The nearest is first, or the order that of ORDER BY, with vertices
        without a value last; LIMIT keeps the first n.

        - of: a vertex, several vertices, for their centroid, or a vector.

        Columns: vertex, distance (l2) or similarity (cosine and dot).
        """
        s = Statement("WITHIN")
        s.number("RADIUS", radius)
        s.number("EPSILON", epsilon)
        s.target("OF", of)
        s.space("USING", embedding, metric)
        s.word("EXACT", exact)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def reconstruct(
        self, embedding: str, *, radius: Optional[float] = None, epsilon: Optional[float] = None, auto: bool = False,
        graph: Optional[str] = None, file: Optional[str] = None, grid: Optional[Literal["quantiles", "paper"]] = None,
        points: Optional[int] = None,
        criterion: Optional[Literal["pearson", "spearman", "kendall", "f1", "ks", "both", "h3"]] = None,
        sweep: Optional[bool] = None, overwrite: Optional[bool] = None, first: Optional[int] = None,
        count: Optional[Union[int, Literal["all"]]] = None,
    ) -> Table:
        """Builds a graph that joins all pairs of vertices within a distance, and compares it with the original graph.

        pearson, spearman and kendall compare only the degrees, which the lengths of the vectors alone can give: the
        columns null_… are the figures of the same lengths in random directions. f1 compares only the edges, and h3,
        the harmonic mean of pearson, spearman and f1 (0 if one of them is not positive), is high only if the same
        graph has both.

        - grid: which radii AUTO tries: quantiles of the distances, or epsilon from 0.01 to 0.50 (default
          'quantiles').
        - points: how many quantiles AUTO tries at first (default 128).
        - criterion: the measure that decides which radius is best: the correlation of the degrees (pearson, spearman,
          kendall, or both pearson and spearman), f1 of the edges, h3 of both, or the smallest distance ks of the
          degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with at least
          0.1 times the edges of the graph, and at most 10 times as many or 0.5 of all pairs (default 'pearson').
        - sweep: show every point that AUTO tried, not only the best (default FALSE).
        - overwrite: replace a file that exists (default FALSE).
        - first: with INTO FILE, to write only the edges from some vertices to later ones, without measures: number of
          the first vertex, from 0 (default 0).
        - count: with INTO FILE, to write only the edges from some vertices to later ones, without measures: largest
          number of vertices; all takes all that follow the first one (default 'all').

        Columns: epsilon, radius, edges, pearson, spearman, kendall, precision, recall, f1, h3, null_pearson,
        null_spearman, null_kendall, null_f1, null_h3.
        """
        s = Statement("RECONSTRUCT")
        s.name("", embedding)
        s.number("RADIUS", radius)
        s.number("EPSILON", epsilon)
        s.word("AUTO", auto)
        s.name("INTO GRAPH", graph)
        s.value("INTO FILE", file)
        s.options({"grid": grid, "points": points, "criterion": criterion, "sweep": sweep, "overwrite": overwrite, "first": first, "count": count})
        return self._run(s)

    def evaluate_reconstruction(
        self, embedding: str, *, grid: Optional[Literal["quantiles", "paper"]] = None, points: Optional[int] = None,
        criterion: Optional[Literal["pearson", "spearman", "kendall", "f1", "ks", "both", "h3"]] = None,
        sweep: Optional[bool] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Measures how well an embedding reconstructs the degrees and edges of its graph, at the best of many distances.

        pearson, spearman and kendall compare only the degrees, which the lengths of the vectors alone can give: the
        columns null_… are the figures of the same lengths in random directions. f1 compares only the edges, and h3,
        the harmonic mean of pearson, spearman and f1 (0 if one of them is not positive), is high only if the same
        graph has both.

        - grid: which radii it tries: quantiles of the distances, or epsilon from 0.01 to 0.50 (default 'quantiles').
        - points: how many quantiles it tries at first (default 128).
        - criterion: the measure that decides which radius is best: the correlation of the degrees (pearson, spearman,
          kendall, or both pearson and spearman), f1 of the edges, h3 of both, or the smallest distance ks of the
          degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with at least
          0.1 times the edges of the graph, and at most 10 times as many or 0.5 of all pairs (default 'pearson').
        - sweep: show every point that it tried, not only the best (default FALSE).

        Columns: epsilon, radius, edges, pearson, spearman, kendall, alpha, xmin, ks, precision, recall, f1, h3,
        null_pearson, null_spearman, null_kendall, null_f1, null_h3.
        """
        s = Statement("EVALUATE RECONSTRUCTION")
        s.name("OF", embedding)
        s.options({"grid": grid, "points": points, "criterion": criterion, "sweep": sweep})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def create_index(
        self, embedding: str, *, background: bool = False, metric: Optional[Literal["l2", "cosine", "dot"]] = None,
        m: Optional[int] = None, ef_construction: Optional[int] = None, ef: Optional[int] = None,
        seed: Optional[int] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False, progress: Optional[Progress] = None,
    ) -> Table:
        """Builds an index (HNSW) of the vectors of an embedding, which NEAREST and WITHIN use.

        They use it for large embeddings (from Options.IndexBytes). recall is the fraction of the 10 nearest that it
        finds, the mean over searches for 100 of the vectors; lowest is the fraction that the worst of these searches
        finds, poor the fraction of them that find less than half. REFRESH of the embedding updates the index, or
        removes it if scans take less time than its searches; a full run of EMBED rebuilds it with the same
        parameters.

        - metric: the metric of the searches that use the index (default 'l2').
        - m: links of a vertex, 2 to 100; more links raise the recall in many dimensions and take more space (default
          16).
        - ef_construction: candidates that links are chosen from, up to 10000; the more, the longer a build takes
          (default 100).
        - ef: candidates that a search keeps; more raise the recall and the time; 0 chooses the smallest power of two
          up to 512 with a recall of 99 % of the 10 nearest (default 0).
        - seed: the same seed gives the same index (default 0).

        Columns: embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created; in
        the background those of SHOW JOBS.
        """
        s = Statement("CREATE INDEX")
        s.name("ON", embedding)
        s.options({"metric": metric, "m": m, "ef_construction": ef_construction, "ef": ef, "seed": seed})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def drop_index(self, embedding: str) -> Table:
        """Removes all indexes of an embedding."""
        s = Statement("DROP INDEX")
        s.name("ON", embedding)
        return self._run(s)

    def describe_embedding(
        self, embedding: str, *, all: bool = False, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Reports the method, options and results of an embedding, and changes of its graph since.

        It shows one screen of properties, and with ALL all of them.

        Columns: property, value.
        """
        s = Statement("DESCRIBE EMBEDDING")
        s.name("", embedding)
        s.word("ALL", all)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def vector(
        self, vertex: Key, embedding: str, *, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists the values of the vector of a vertex, one row for each dimension.

        Columns: dimension, value.
        """
        s = Statement("SHOW VECTOR")
        s.key("OF", vertex)
        s.name("IN", embedding)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def drop_embedding(self, embedding: str) -> Table:
        """Removes an embedding, or with name@generation its past generation."""
        s = Statement("DROP EMBEDDING")
        s.name("", embedding)
        return self._run(s)

    def score(
        self, pairs: Iterable[tuple[Key, Key]], scorers: Union[Scorer, str, Iterable[str]],
        graph: Optional[str] = None, *, direction: Optional[Literal["out", "both"]] = None,
        base_rate: Optional[float] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Scores how likely a link between two vertices is; SHOW SCORERS lists the scorers.

        - scorers: one or several, such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)".
        - direction: in a directed graph: out: a pair is scored as an edge from its source to its target, along the
          edges; both: the undirected view (default 'out').
        - base_rate: fraction of edges among such pairs, such as 0.001, at which the probability of a model is the
          score; 0 is that of equal numbers of edges and other pairs (default 0).

        Columns: source, target, and one column for each scorer.
        """
        s = Statement("SCORE")
        s.pairs("", pairs)
        s.name("IN", graph)
        s.scorers("WITH", scorers)
        s.options({"direction": direction, "base_rate": base_rate})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def explain_score(
        self, source: Key, target: Key, graph: Optional[str] = None, *,
        scorers: Optional[Union[Scorer, str, Iterable[str]]] = None,
        direction: Optional[Literal["out", "both"]] = None, base_rate: Optional[float] = None,
    ) -> Table:
        """Explains the scores of one pair by its common neighbours and by what speaks for an edge in a model.

        Common neighbours have their degrees, the lowest first. By a model the parts, against what is usual for pairs
        of such degrees, add up to the log-odds. It shows the fraction of the hidden pairs of about the same
        probability that were edges, with its 95 % interval. Without WITH it uses all heuristics. EXPLAIN of SCORE
        with several pairs shows the plan.

        - scorers: one or several, such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)".
        - direction: in a directed graph: out: a pair is scored as an edge from its source to its target, along the
          edges; both: the undirected view (default 'out').
        - base_rate: fraction of edges among such pairs, such as 0.001, at which the probability of a model is shown
          too; 0 is that of equal numbers of edges and other pairs (default 0).

        Columns: item, value, usual, part.
        """
        s = Statement("EXPLAIN SCORE")
        s.pairs("", [(source, target)])
        s.name("IN", graph)
        s.scorers("WITH", scorers)
        s.options({"direction": direction, "base_rate": base_rate})
        return self._run(s)

    def predict(
        self, scorer: Union[Scorer, str], k: int = 10, *, vertex: Optional[Key] = None, graph: Optional[str] = None,
        as_of: Optional[Value] = None, near: Optional[int] = None,
        threshold: Optional[Union[float, Literal["none"]]] = None, direction: Optional[Literal["out", "both"]] = None,
        top: Optional[int] = None, sides: Optional[str] = None, base_rate: Optional[float] = None,
        first: Optional[int] = None, count: Optional[Union[int, Literal["all"]]] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds the likeliest links that the graph does not have, of one vertex, of every vertex or of the graph.

        The likeliest is first. Candidates are vertices two edges apart and, for scorers of vectors, the nearest
        vertices of each vertex; for preferential_attachment all vertices, for l3 the ends of paths of three edges.
        WHERE must hold for the other vertex, or without FOR for both; with FOR vertex, ORDER BY may use what vertices
        have as well, and sorts the n vertices that were found. FOR ALL finds the n likeliest of every vertex, in the
        order of the graph, with the limits of MATERIALIZE PREDICTIONS; FOR FILE finds those of the vertices whose
        keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have.
        AS OF predicts from the edges before a time only, and a notice says how many of the links the graph has by
        now. Without WITH it answers from the predictions that MATERIALIZE PREDICTIONS has stored; FROM names the
        scorer if several are stored.

        - scorer: such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)".
        - near: for scorers of vectors: number of nearest vertices of each vertex that are candidates as well; with
          FOR at least n by default, and 0 takes none (default 50).
        - threshold: least score of a link, or the largest where the scorer is a distance; none for any score (default
          'none').
        - direction: in a directed graph: out: links are edges from a source to a target, predicted along the edges,
          and may be the way back of an edge; not for models and with sides, whose default is both; both: the undirected
          view (default 'out').
        - top: links of each vertex at most, without FOR: a link is kept if it is among the likeliest of both its
          ends, or of its source where it has a direction; 0 for any number (default 0).
        - sides: in a bipartite graph, links between its sides only, such as users and items: an attribute with two
          values, or auto to find the sides from the edges; not for scorers of common neighbours, which are 0 for all
          such pairs (default 'none').
        - base_rate: fraction of edges among such pairs, such as 0.001, at which the probability of a model is the
          score; 0 is that of equal numbers of edges and other pairs (default 0).
        - first: number of the first vertex with FOR ALL, or key of the file with FOR FILE, from 0; a file of CSV or
          TSV that does not begin with number 0 has no header (default 0).
        - count: largest number of vertices or keys; all takes all that follow the first one (default 'all').

        Columns: with FOR vertex: vertex, score; with FOR ALL or FILE: source, rank, target, score; without: source,
        target, score.
        """
        s = Statement("PREDICT")
        s.count("", k)
        s.word("LINKS")
        s.key("FOR", vertex)
        s.name("IN", graph)
        s.scorer("WITH", scorer)
        s.value("AS OF", as_of)
        s.options({"near": near, "threshold": threshold, "direction": direction, "top": top, "sides": sides, "base_rate": base_rate, "first": first, "count": count})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def predict_of_all(
        self, scorer: Optional[Union[Scorer, str]] = None, k: int = 10, *, graph: Optional[str] = None,
        as_of: Optional[Value] = None, near: Optional[int] = None,
        threshold: Optional[Union[float, Literal["none"]]] = None, direction: Optional[Literal["out", "both"]] = None,
        top: Optional[int] = None, sides: Optional[str] = None, base_rate: Optional[float] = None,
        first: Optional[int] = None, count: Optional[Union[int, Literal["all"]]] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Finds the likeliest links that the graph does not have, of one vertex, of every vertex or of the graph.

        The likeliest is first. Candidates are vertices two edges apart and, for scorers of vectors, the nearest
        vertices of each vertex; for preferential_attachment all vertices, for l3 the ends of paths of three edges.
        WHERE must hold for the other vertex, or without FOR for both; with FOR vertex, ORDER BY may use what vertices
        have as well, and sorts the n vertices that were found. FOR ALL finds the n likeliest of every vertex, in the
        order of the graph, with the limits of MATERIALIZE PREDICTIONS; FOR FILE finds those of the vertices whose
        keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have.
        AS OF predicts from the edges before a time only, and a notice says how many of the links the graph has by
        now. Without WITH it answers from the predictions that MATERIALIZE PREDICTIONS has stored; FROM names the
        scorer if several are stored.

        - scorer: such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)".
        - near: for scorers of vectors: number of nearest vertices of each vertex that are candidates as well; with
          FOR at least n by default, and 0 takes none (default 50).
        - threshold: least score of a link, or the largest where the scorer is a distance; none for any score (default
          'none').
        - direction: in a directed graph: out: links are edges from a source to a target, predicted along the edges,
          and may be the way back of an edge; not for models and with sides, whose default is both; both: the undirected
          view (default 'out').
        - top: links of each vertex at most, without FOR: a link is kept if it is among the likeliest of both its
          ends, or of its source where it has a direction; 0 for any number (default 0).
        - sides: in a bipartite graph, links between its sides only, such as users and items: an attribute with two
          values, or auto to find the sides from the edges; not for scorers of common neighbours, which are 0 for all
          such pairs (default 'none').
        - base_rate: fraction of edges among such pairs, such as 0.001, at which the probability of a model is the
          score; 0 is that of equal numbers of edges and other pairs (default 0).
        - first: number of the first vertex with FOR ALL, or key of the file with FOR FILE, from 0; a file of CSV or
          TSV that does not begin with number 0 has no header (default 0).
        - count: largest number of vertices or keys; all takes all that follow the first one (default 'all').

        Columns: with FOR vertex: vertex, score; with FOR ALL or FILE: source, rank, target, score; without: source,
        target, score.
        """
        s = Statement("PREDICT")
        s.count("", k)
        s.name("LINKS FOR ALL IN", graph)
        s.scorer("WITH", scorer)
        s.value("AS OF", as_of)
        s.options({"near": near, "threshold": threshold, "direction": direction, "top": top, "sides": sides, "base_rate": base_rate, "first": first, "count": count})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def train_model(
        self, model: str, graph: str, *, using: Optional[Iterable[str]] = None, background: bool = False,
        embeddings: Optional[Literal["auto", "none"]] = None,
        purpose: Optional[Literal["ranking", "pairs", "degree"]] = None, share: Optional[float] = None,
        latest: Optional[bool] = None, negatives: Optional[str] = None, training: Optional[int] = None,
        seed: Optional[int] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False, progress: Optional[Progress] = None,
    ) -> Table:
        """Trains a model that predicts links from all scorers of the graph, the degrees and embeddings, and stores it.

        Of embeddings it uses the distance, cosine and product. It is measured on hidden edges that it has not learned
        from, and used as model(…) in SCORE and PREDICT. Without USING it computes prone, fastrp and dp_spectral for
        the model, and stores them as model_prone, model_fastrp and model_dp_spectral, which DROP MODEL drops. With
        heuristics(…) it uses exactly these, and the embeddings that are named.

        - embeddings: auto computes embeddings for the model if none and no heuristics are named; none learns from the
          graph alone (default 'auto').
        - purpose: what the model is to be best at: ranking recommends links to a vertex, and separates edges from any
          pairs; pairs separates edges from any pairs, a little better, and recommends worse; degree separates edges
          from pairs whose ends have as many edges, for which its probabilities are, and does worse by any pairs
          (default 'ranking').
        - share: fraction of the edges that each of the five splits hides; in graphs of fewer than 1,000 edges by
          default 50 edges, or a fifth of them (default 0.05).
        - latest: hold out the edges with the latest timestamps if the graph has any, otherwise edges at random
          (default TRUE).
        - negatives: comma-separated kinds of pairs without an edge that hidden edges are compared with, in addition
          to random; each kind has a row, without recommendations and calibration, and the model always learns from
          random pairs. null_auc is the AUC by degree of the same terms on a random graph with the same degrees; random
          alone omits it: random is any pair; degree is drawn by the degrees of the ends of held-out edges; two_hop has
          a common neighbour, and then only held-out edges with a common neighbour count (default 'degree').
        - training: largest number of hidden edges of each split to learn from (default 1000).
        - seed: seed of the edges and pairs that are drawn; the same seed gives the same model (default 0).

        Columns: model, negatives, auc, auc_low, auc_high, null_auc, average_precision, map, recall, brier,
        calibration_error, best_single, best_single_auc, best_single_null_auc, seconds; in the background those of
        SHOW JOBS.
        """
        s = Statement("TRAIN MODEL")
        s.name("", model)
        s.name("IN", graph)
        s.names("USING", using)
        s.options({"embeddings": embeddings, "purpose": purpose, "share": share, "latest": latest, "negatives": negatives, "training": training, "seed": seed})
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def describe_model(
        self, model: str, *, all: bool = False, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Reports the options of a model, its metrics on held-out pairs, and its calibration.

        It reports whether its graph and its embedding have changed since. It shows one screen of properties, and with
        ALL all of them.

        Columns: property, value.
        """
        s = Statement("DESCRIBE MODEL")
        s.name("", model)
        s.word("ALL", all)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def drop_model(self, model: str) -> Table:
        """Removes a model."""
        s = Statement("DROP MODEL")
        s.name("", model)
        return self._run(s)

    def evaluate_links(
        self, graph: str, using: Optional[Union[Method, Iterable[Method]]] = None, *, share: Optional[float] = None,
        latest: Optional[bool] = None, seed: Optional[int] = None, direction: Optional[Literal["out", "both"]] = None,
        sides: Optional[str] = None, negatives: Optional[str] = None, training: Optional[int] = None,
        learn: Optional[Literal["auto", "seen", "unseen"]] = None,
        order: Optional[Literal["random", "ascending"]] = None, scorers: Optional[str] = None,
        features: Optional[str] = None, model: Optional[bool] = None, hits: Optional[int] = None,
        connected: Optional[bool] = None, splits: Optional[int] = None, null_graph: Optional[bool] = None,
        ranking: Optional[int] = None, vertices: Optional[int] = None, near: Optional[int] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Holds out edges and compares how well scorers, methods and learned models separate them from pairs without an edge.

        Each method embeds the edges that are left; without USING it compares the scorers of the graph. precision,
        recall and f1 are those at the threshold with the best f1 of the training pairs, and missing if all test pairs
        are on one side of it. It stores nothing.

        - using: methods, each as a name or with its options: Call("fastrp", dim=64).
        - share: fraction of the edges to hold out (default 0.2).
        - latest: hold out the edges with the latest timestamps if the graph has any, otherwise edges at random
          (default TRUE).
        - seed: seed of the edges and pairs that are drawn (default 0).
        - direction: in a directed graph: out: edges are held out with their direction, from ordered pairs, and scored
          along the edges; methods without a direction of their own embed the undirected view; not with model and sides,
          whose default is both; both: the undirected view (default 'out').
        - sides: in a bipartite graph, measure links between its sides only, with pairs and recommendations between
          them: an attribute with two values, or auto to find the sides from the edges; not for scorers of common
          neighbours, which are 0 for all such pairs (default 'none').
        - negatives: comma-separated kinds of pairs without an edge that held-out edges are compared with: random is
          any pair; degree is drawn by the degrees of the ends of held-out edges; two_hop has a common neighbour, and
          then only held-out edges with a common neighbour count; reversed, in a directed graph, is the way back of a
          held-out edge, and then only edges without one count (default 'random').
        - training: largest number of edges to learn from, with as many pairs without an edge (default 20000).
        - learn: which edges to learn from: seen are edges of the embedded graph, unseen are further edges that are
          held out as well; auto is unseen if the latest edges are held out (default 'auto').
        - order: order of the two vertices of a pair, on which the feature difference depends: random, or ascending,
          with the vertex first that came into the graph first; with a direction the source is first (default 'random').
        - scorers: comma-separated scorers to compare; SHOW SCORERS lists them (default 'all').
        - features: comma-separated inputs of a logistic regression: difference, l1, l2, hadamard, cosine,
          concatenation or all (default 'concatenation').
        - model: also measure models as of TRAIN MODEL, as scorer model: the default one, and with each method one
          that reads its embedding alone. They are trained on edges held out of the remaining graph, which takes five
          more embeddings of each method (default FALSE).
        - hits: k of the measure hits: the fraction of edges that score above the k-th highest pair without an edge
          (default 100).
        - connected: hold out only edges outside of a spanning forest, drawn by the seed, so that the remaining graph
          has the same components (default FALSE).
        - splits: how many times to hold out edges, with the seeds seed, seed + 1, …; figures are means, with the
          standard deviations of auc and average_precision (default 1).
        - null_graph: also measure on a random graph with the same degrees, where only the degrees can be predicted;
          this takes as long as one more split. Without the option negatives by degree are measured there, and with
          FALSE nothing; recommendations are measured there with TRUE only, and with sides nothing can be (default
          FALSE).
        - ranking: measure recommendations instead of pairs: the number of links recommended to each vertex in a
          sample of vertices with held-out edges, from the candidates of PREDICT; 0 measures pairs. Intervals are 95 %
          over the vertices (default 0).
        - vertices: with ranking: largest number of vertices in the sample (default 1000).
        - near: with ranking: number of nearest vertices that are candidates of a scorer of vectors; the default is
          raised to the number recommended, and 0 takes none (default 50).

        Columns: method, scorer, negatives, auc, average_precision, precision, recall, f1, hits; with ranking: method,
        scorer, map, map_low, map_high, behind, behind_low, behind_high, recall, recall_low, recall_high, precision,
        ndcg, ndcg_low, ndcg_high, mrr, hit_rate, coverage, popular; with splits in addition: auc_deviation,
        average_precision_deviation; with null_graph or negatives by degree in addition: null_auc,
        null_average_precision; with ranking and null_graph in addition to those of ranking: null_map, null_recall.
        """
        s = Statement("EVALUATE LINKS")
        s.name("IN", graph)
        s.calls("USING", using)
        s.options({"share": share, "latest": latest, "seed": seed, "direction": direction, "sides": sides, "negatives": negatives, "training": training, "learn": learn, "order": order, "scorers": scorers, "features": features, "model": model, "hits": hits, "connected": connected, "splits": splits, "null_graph": null_graph, "ranking": ranking, "vertices": vertices, "near": near})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def evaluate_labels(
        self, attribute: str, embedding: str, *, fractions: Optional[str] = None, seeds: Optional[int] = None,
        seed: Optional[int] = None, separator: Optional[str] = None, penalty: Optional[float] = None,
        classes: Optional[bool] = None, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Evaluates classifiers that predict an attribute from the vectors, trained on a part of the vertices.

        It stores nothing. macro_f1 is the mean over all classes of the attribute, 0 for one that is neither in the
        test set nor predicted (scikit-learn's average='macro', zero_division=0).

        - fractions: comma-separated training fractions; the remaining vertices form the test set (default
          '0.1,0.5,0.9').
        - seeds: number of random choices of training vertices to average over (default 10).
        - seed: seed of the first choice (default 0).
        - separator: text that separates several classes of a vertex, such as ','; by default the whole value is one
          class (default '').
        - penalty: penalty of the squared weights of the classifiers; 0 chooses it by cross-validation on the training
          vertices (default 0).
        - classes: report each class (default FALSE).

        Columns: fraction, train, test, micro_f1, micro_f1_deviation, macro_f1, macro_f1_deviation, accuracy,
        accuracy_deviation; with classes: fraction, class, test, accuracy, accuracy_deviation, precision, f1,
        f1_deviation.
        """
        s = Statement("EVALUATE LABELS")
        s.value("", attribute)
        s.name("OF", embedding)
        s.options({"fractions": fractions, "seeds": seeds, "seed": seed, "separator": separator, "penalty": penalty, "classes": classes})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def evaluate_parameters(
        self, graph: str, using: Union[Method, Iterable[Method]], *, dim: Optional[str] = None,
        beta: Optional[str] = None, scale: Optional[str] = None, row_scale: Optional[str] = None,
        grid: Optional[Literal["quantiles", "paper"]] = None, points: Optional[int] = None,
        criterion: Optional[Literal["pearson", "spearman", "kendall", "f1", "ks", "both", "h3"]] = None,
        columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None, order_by: Optional[str] = None,
        descending: bool = False, limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Varies the options of a method one at a time, embeds the graph with each value, and measures the best reconstruction.

        Without values it tries the usual values of all options. It stores nothing. pearson, spearman and kendall
        compare only the degrees, which the lengths of the vectors alone can give: the columns null_… are the
        figures of the same lengths in random directions. f1 compares only the edges, and h3, the harmonic mean of
        pearson, spearman and f1 (0 if one of them is not positive), is high only if the same graph has both.

        - using: methods, each as a name or with its options: Call("fastrp", dim=64).
        - dim: comma-separated numbers of coordinates to try (default '').
        - beta: comma-separated degree penalties to try (default '').
        - scale: comma-separated powers of the eigenvalues to try (default '').
        - row_scale: comma-separated powers of the degrees to try (default '').
        - grid: which radii each tries: quantiles of the distances, or epsilon from 0.01 to 0.50 (default
          'quantiles').
        - points: how many quantiles each tries at first (default 128).
        - criterion: the measure that decides which radius is best: the correlation of the degrees (pearson, spearman,
          kendall, or both pearson and spearman), f1 of the edges, h3 of both, or the smallest distance ks of the
          degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with at least
          0.1 times the edges of the graph, and at most 10 times as many or 0.5 of all pairs (default 'pearson').

        Columns: option, value, epsilon, radius, edges, pearson, spearman, kendall, alpha, xmin, ks, precision,
        recall, f1, h3, null_pearson, null_spearman, null_kendall, null_f1, null_h3.
        """
        s = Statement("EVALUATE PARAMETERS")
        s.name("IN", graph)
        s.calls("USING", using)
        s.options({"dim": dim, "beta": beta, "scale": scale, "row_scale": row_scale, "grid": grid, "points": points, "criterion": criterion})
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def tune(
        self, graph: str, name: str, purpose: Literal["reconstruction", "links", "labels"], *,
        using: Optional[Union[Method, Iterable[Method]]] = None, background: bool = False,
        budget: Optional[str] = None, trials: Optional[int] = None, criterion: Optional[str] = None,
        exact: Optional[bool] = None, attribute: Optional[str] = None, separator: Optional[str] = None,
        share: Optional[float] = None, latest: Optional[bool] = None, seed: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Table:
        """Searches for the options of a method that are best for one purpose on this graph, and stores the best embedding.

        Options that the statement gives stay; all trials are listed, the best first. Without USING it searches every
        method whose defaults take at most a tenth of the budget, but not node2vec, or only unit_ball WITH (exact :=
        TRUE); a notice names what is left out.

        - using: methods, each as a name or with its options: Call("fastrp", dim=64).
        - budget: time after which no new trial begins, such as '90s', '10m' or '2h', nor a trial of unit_ball that is
          expected to end later; the next trial is finished if it has begun; no limit by default if trials is given
          (default '10m').
        - trials: largest number of trials, 0 for no limit; the same number gives the same result (default 0).
        - criterion: the measure to maximise: h3, both, pearson, spearman, kendall, f1, ks of reconstruction; auc, f1,
          average_precision of links; micro_f1, macro_f1, accuracy of labels; the first is the default (default '').
        - exact: FOR RECONSTRUCTION: also search unit_ball, or only unit_ball without USING. It reconstructs every
          edge where its dim suffices and so wins every comparison; otherwise it takes part only if it is named (default
          FALSE).
        - attribute: FOR LABELS: the attribute with the labels (default '').
        - separator: FOR LABELS: text that separates several labels of a vertex, such as ',' (default '').
        - share: fraction of the edges that are held out, for links (default 0.2).
        - latest: hold out the edges with the latest timestamps if the graph has any, otherwise edges at random; for
          links (default TRUE).
        - seed: seed of all random choices, and of methods that are given without a seed (default 0).

        Columns: trial, method, options, stage, confirmed, score, the measures of the goal, seconds; in the background
        those of SHOW JOBS.
        """
        s = Statement("TUNE")
        s.name("", graph)
        s.calls("USING", using)
        s.word("FOR")
        s.one_of(purpose, ["RECONSTRUCTION", "LINKS", "LABELS"])
        s.name("AS", name)
        s.options({"budget": budget, "trials": trials, "criterion": criterion, "exact": exact, "attribute": attribute, "separator": separator, "share": share, "latest": latest, "seed": seed})
        s.word("IN BACKGROUND", background)
        return self._run(s, progress=progress)

    def cancel_job(
        self, job: int, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Stops a job and saves a checkpoint from which RESUME JOB continues.

        Columns: those of SHOW JOBS.
        """
        s = Statement("CANCEL JOB")
        s.count("", job)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def resume_job(
        self, job: int, *, background: bool = False, columns: Optional[Iterable[str]] = None,
        where: Optional[Condition] = None, order_by: Optional[str] = None, descending: bool = False,
        limit: Optional[int] = None, offset: Optional[int] = None, arrow: bool = False,
        progress: Optional[Progress] = None,
    ) -> Table:
        """Continues a job that was cancelled, was interrupted or failed, from its checkpoint.

        The result is the same as if it had never stopped.

        Columns: those of its statement; in the background those of SHOW JOBS.
        """
        s = Statement("RESUME JOB")
        s.count("", job)
        s.word("IN BACKGROUND", background)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow, progress=progress)

    def wait_job(
        self, job: int, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Waits until a job ends, and shows its progress.

        Columns: those of SHOW JOBS.
        """
        s = Statement("WAIT JOB")
        s.count("", job)
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def check(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Verifies everything in the file; a result without rows means that the file is undamaged.

        Columns: where, fault, remedy.
        """
        s = Statement("CHECK")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def backup(
        self, file: str, *, overwrite: Optional[bool] = None,
    ) -> Table:
        """Copies everything into a new file, and verifies every record.

        - overwrite: replace a file that exists (default FALSE).

        Columns: file, bytes, records, seconds.
        """
        s = Statement("BACKUP")
        s.value("INTO FILE", file)
        s.options({"overwrite": overwrite})
        return self._run(s)

    def graphs(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists graphs.

        Columns: graph, version, vertices, edges, directed, source, modified.
        """
        s = Statement("SHOW")
        s.word("GRAPHS")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def embeddings(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists embeddings.

        Columns: embedding, graph, method, dim, vertices, generation, behind, changed, auto, created.
        """
        s = Statement("SHOW")
        s.word("EMBEDDINGS")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def indexes(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists indexes.

        Columns: embedding, metric, vectors, m, ef_construction, ef, recall, lowest, poor, bytes, seconds, created.
        """
        s = Statement("SHOW")
        s.word("INDEXES")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def models(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists models.

        Columns: model, graph, embeddings, heuristics, auc, average_precision, calibration_error, best_single,
        best_single_auc, behind, state, created.
        """
        s = Statement("SHOW")
        s.word("MODELS")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def predictions(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists predictions.

        Columns: graph, scorer, top, vertices, links, version, behind, state, created.
        """
        s = Statement("SHOW")
        s.word("PREDICTIONS")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def jobs(
        self, *, columns: Optional[Iterable[str]] = None, where: Optional[Condition] = None,
        order_by: Optional[str] = None, descending: bool = False, limit: Optional[int] = None,
        offset: Optional[int] = None, arrow: bool = False,
    ) -> Table:
        """Lists jobs.

        Columns: job, state, statement, stage, progress, seconds, remaining, memory, peak, checkpoint, error, result.
        """
        s = Statement("SHOW")
        s.word("JOBS")
        s.rows(columns=columns, where=where, order_by=order_by, descending=descending, limit=limit, offset=offset)
        return self._run(s, arrow=arrow)

    def plot_degrees(
        self, *names: str, law: Optional[bool] = None, size: Optional[str] = None, title: Optional[str] = None,
    ) -> Picture:
        """Draw degree distributions on logarithmic axes, where a power law is a straight line.

        NAME is a graph, or an embedding: for that the degrees of its best reconstruction are drawn, with the ε at
        which the degrees correlate best. A line shows the power law that is fitted to the degrees of a graph.

        names: NAME….

        - law: draw the fitted power law.
        - size: width and height of the picture in points, 1/72 of an inch, such as 600x400.
        - title: title of the chart.
        """
        return self.plot(
            "degrees", *names, law=law, size=size, title=title,
        )

    def plot_graph(
        self, *names: str, all: Optional[bool] = None, around: Optional[str] = None, color: Optional[str] = None,
        depth: Optional[int] = None, edges: Optional[int] = None, labels: Optional[int] = None,
        seed: Optional[int] = None, size: Optional[str] = None, title: Optional[str] = None,
        vertices: Optional[int] = None,
    ) -> Picture:
        """Draw the vertices and edges of a graph, or with around those near one vertex.

        Linked vertices are placed near each other by a force model. The area of a vertex grows with its degree, the
        vertices of most edges are labelled, and colours show communities, the degree, or an attribute. Edges within a
        class have its colour.

        names: [GRAPH].

        - all: draw all components of the graph.
        - around: key of a vertex, to draw only those near it.
        - color: what the colours show: community, degree, or an attribute.
        - depth: how many edges away they are at most, with around.
        - edges: edges to draw at most.
        - labels: vertices to label, those of most edges.
        - seed: seed of the layout.
        - size: width and height of the picture in points, 1/72 of an inch, such as 600x400.
        - title: title of the chart.
        - vertices: vertices to draw at most, those of most edges; up to 100000.
        """
        return self.plot(
            "graph", *names, all=all, around=around, color=color, depth=depth, edges=edges, labels=labels, seed=seed,
            size=size, title=title, vertices=vertices,
        )

    def plot_links(
        self, *names: str, curve: Optional[str] = None, latest: Optional[bool] = None,
        models: Optional[Union[str, Iterable[str]]] = None, negatives: Optional[str] = None,
        scorers: Optional[Union[str, Iterable[str]]] = None, seed: Optional[int] = None,
        share: Optional[float] = None, size: Optional[str] = None, title: Optional[str] = None,
        using: Optional[Union[str, Iterable[str]]] = None,
    ) -> Picture:
        """Hold out edges of a graph as EVALUATE LINKS does, score them and pairs without an edge, and draw the ROC curves of the scorers, or with curve precision-recall those of precision and recall.

        using names a method with its options, as EMBED takes it, and may be repeated: its scorers and models are
        drawn too. Nothing is stored.

        names: [GRAPH].

        - curve: what is drawn: roc, precision-recall, calibration.
        - latest: hold out the edges with the latest timestamps.
        - models: models to draw with curve calibration; all of the graph by default.
        - negatives: pairs without an edge to compare with: random, degree or two_hop.
        - scorers: comma-separated scorers to draw; all by default.
        - seed: seed of the edges and pairs that are drawn.
        - share: fraction of the edges to hold out; 0.2 by default.
        - size: width and height of the picture in points, 1/72 of an inch, such as 600x400.
        - title: title of the chart.
        - using: method with its options; may be repeated.
        """
        return self.plot(
            "links", *names, curve=curve, latest=latest, models=models, negatives=negatives, scorers=scorers, seed=seed,
            share=share, size=size, title=title, using=using,
        )

    def plot_parameters(
        self, *names: str, measure: Optional[str] = None, size: Optional[str] = None, title: Optional[str] = None,
        using: Optional[Union[str, Iterable[str]]] = None, vary: Optional[str] = None,
    ) -> Picture:
        """Embed a graph with one option at a number of values, and draw how well the best reconstruction of each reproduces the degrees.

        One solve serves all values of dim, scale and row_scale.

        names: GRAPH.

        - measure: what is drawn: pearson, spearman, kendall, f1, h3, null_h3, ks.
        - size: width and height of the picture in points, 1/72 of an inch, such as 600x400.
        - title: title of the chart.
        - using: method with its fixed options; may be repeated.
        - vary: option to vary, such as dim or beta=0,0.5,1; without values its usual ones.
        """
        return self.plot(
            "parameters", *names, measure=measure, size=size, title=title, using=using, vary=vary,
        )

    def plot_projection(
        self, *names: str, all: Optional[bool] = None, color: Optional[str] = None, layout: Optional[str] = None,
        points: Optional[int] = None, size: Optional[str] = None, title: Optional[str] = None,
    ) -> Picture:
        """Draw the vectors of an embedding in the plane: vertices with near vectors are near each other, as UMAP places them, or with layout pca at their first two principal components.

        Colours are those of the degree of the vertices or of an attribute: shades of one scale for numbers, and a
        colour for each of the most frequent texts, communities or components. More than 100000 vertices are drawn by
        their principal components.

        names: EMBEDDING.

        - all: draw all components of the graph.
        - color: attribute that the colours show; the degree by default.
        - layout: how places are chosen: neighbors, pca.
        - points: vertices to draw at most, evenly from all of them.
        - size: width and height of the picture in points, 1/72 of an inch, such as 600x400.
        - title: title of the chart.
        """
        return self.plot(
            "projection", *names, all=all, color=color, layout=layout, points=points, size=size, title=title,
        )
