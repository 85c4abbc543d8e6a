"""A heavytail file."""

import os
import threading

from . import errors, exchange
from .connection import Connection, Server, encoded
from .statements import Statements
from .table import ArrowTable, Picture, Table


def open(path, *, read_only=False, create=True, command=None, flags=()):
    """Opens a file, by the server that has it open or by a new one that ends with this program.

    read_only refuses statements that write. create makes a file that does not exist. command is the
    program heavytail, by default that of the environment variable HEAVYTAIL or of the PATH, and flags are
    further ones for a server that is started, such as ["--memory-limit", "4GiB"].
    """
    path = os.fspath(path)
    server, connection = None, Connection.to_file(path)
    if connection is None:
        flags = [*flags, *(["--read-only"] if read_only else []), *([] if create else ["--no-create"])]
        server = Server(path, command or os.environ.get("HEAVYTAIL", "heavytail"), flags)
        connection = server.connection(path)
    return Database(connection, lambda: Connection.to_file(path), server, read_only)


def connect(address, token):
    """Connects to ``heavytail serve --listen ADDRESS``, with the token of its --token-file."""
    def dial():
        return Connection.to_address(address, token)

    return Database(dial(), dial, None, False)


class Database(Statements):
    """A heavytail file. Made by open and connect, and closed by close or the end of a with.

    Threads may share it; it runs one statement at a time.
    """

    def __init__(self, connection, dial, server, read_only):
        self._connection, self._dial, self._server = connection, dial, server
        self._lock = threading.Lock()
        self.file = connection.greeting["file"]
        self.root = connection.greeting["root"]  # the folder of the files that statements name
        self.read_only = read_only or connection.greeting["read_only"]

    def close(self):
        """Closes the connection, and ends the server if open has started it. Jobs in the background stop at a checkpoint."""
        with self._lock:
            if self._connection:
                self._connection.close()
            self._connection, self._dial = None, None
            if self._server:
                self._server.close()
                self._server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<heavytail.Database {self.file!r}>"

    def query(self, statement, params=None, /, *, progress=None, deadline=None, data=None, arrow=False, **named):
        """Runs a statement and returns its rows, a Table.

        Parameters $name are arguments with a name, or in the dictionary params. progress is called with
        dictionaries (stage, done, total, unit, remaining). deadline is the time in seconds after which the
        statement is cancelled. data are the bytes, or an iterable of bytes, that IMPORT '-' reads. With arrow
        the rows come as columns, which is faster where they are many: arrow(), numpy() and df() of the
        table then make no Python object for each number. That needs numpy or pyarrow, and a column must have
        one type. Ctrl-C cancels the statement.
        """
        request = {"statement": statement, "params": {name: encoded(value) for name, value in {**(params or {}), **named}.items()}}
        if progress:
            request["progress"] = True
        if self.read_only:
            request["read_only"] = True
        if arrow:
            request["format"] = "arrow"
        if isinstance(data, (bytes, bytearray)):
            data = [data]
        return self._ask(statement, request, deadline, data, progress)

    def plot(self, kind, *names, deadline=None, **flags):
        """Draws a picture, a Picture that notebooks show: kind is "degrees", "parameters", "projection", "graph" or "links".

        names and flags are those of ``heavytail plot``; plot_graph and its siblings have them as arguments. A flag
        whose value is None is left out, and one that may be repeated has a list.
        """
        args = [str(kind)]
        for flag, value in flags.items():
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if one is not None:
                    args.append(f"--{flag.replace('_', '-')}={str(one).lower() if isinstance(one, bool) else one}")
        parts = self._ask("", {"plot": [*args, "--", *map(str, names)], "picture": "svg"}, deadline)
        return Picture(b"".join(part if isinstance(part, bytes) else part.encode() for (part,) in parts).decode(), parts.notices)

    def _ask(self, statement, request, deadline=None, data=None, progress=None):
        """The answer to a request, a Table."""
        if deadline:
            request["deadline"] = float(deadline)
        with self._lock:
            if self._dial is None:
                raise errors.Error("the database is closed")
            if self._connection is None:
                self._connection = self._dial()
                if self._connection is None:
                    raise errors.Lost("the server has ended")
            try:
                return self._answer(statement, self._connection.frames(request, data), progress)
            except errors.Error as error:
                if isinstance(error, errors.Lost):
                    self._drop()
                raise
            except BaseException:  # such as KeyboardInterrupt: closing the connection cancels the statement
                self._drop()
                raise

    def _drop(self):
        self._connection.close()
        self._connection = None

    def _answer(self, statement, frames, progress):
        columns, rows, parts, notices, failed = [], [], [], [], None
        for frame in frames:
            if "progress" in frame and progress:
                progress(frame["progress"])
            columns = frame.get("columns", columns)
            rows += map(tuple, frame.get("rows", ()))
            parts += [frame["arrow"]] if "arrow" in frame else []
            notices += [notice["text"] for notice in frame.get("notices", ())]
            failed = frame.get("error")
        if failed:
            raise errors.of(failed, statement)
        names, types = [c["name"] for c in columns], [c.get("type", "") for c in columns]
        if parts:
            return ArrowTable(names, types, b"".join(parts), notices)
        return Table(names, types, rows, notices)

    def _run(self, statement, *, arrow=False, progress=None, data=None):
        return self.query(statement.text, statement.params, arrow=arrow, progress=progress, data=data)

    def import_networkx(self, graph, name, **options):
        """Adds the vertices, edges and attributes of a networkx graph to the graph of a name, which is made directed if the
        networkx graph is.

        Keys are str() of the nodes, and two nodes must not have the same. The edge attribute weight is
        the weight, unless the option weight names another one; options are those of IMPORT, such as
        weight="none" or time="since".
        """
        return self.import_graph("-", name, data=exchange.node_link(graph), **{"format": "json", "ends": "id", **options})

    def networkx(self, name):
        """A graph for the functions of networkx 3 that heavytail has, such as nx.pagerank(db.networkx("social")): nothing is
        copied. Its nodes are the keys.
        """
        from .backend import Graph

        return Graph(self, name)

    def to_networkx(self, name):
        """A graph as a networkx.Graph, or a directed one as a DiGraph, with attributes, and weight and time of edges."""
        directed = ("directed", True) in self.describe_graph(name, all=True).rows
        return exchange.graph_of(self.vertices(name), self.edges(name), directed)
