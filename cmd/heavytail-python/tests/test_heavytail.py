"""Tests of the package, with the commands that two environment variables name:

    HEAVYTAIL=/path/of/heavytail HEAVYTAIL_MCP=/path/of/heavytail-mcp \
        /usr/bin/python3 -m unittest discover -s cmd/heavytail-python/tests
"""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import networkx
import numpy
import pandas

import heavytail
from heavytail import connection

COMMAND, AGENTS = os.environ["HEAVYTAIL"], os.environ["HEAVYTAIL_MCP"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "test.ht")

    def open(self, **options):
        db = heavytail.open(self.path, **options)
        self.addCleanup(db.close)
        return db

    def karate(self, **options):
        db = self.open(**options)
        db.import_networkx(networkx.karate_club_graph(), "karate")
        return db


class TestOpen(Case):
    def test_starts_and_ends_a_server(self):
        with heavytail.open(self.path) as db:
            db.query("CREATE GRAPH g")
            self.assertTrue(os.path.exists(self.path + ".sock"))
            self.assertEqual(os.stat(self.path + ".sock").st_mode & 0o777, 0o600)
            self.assertEqual(db.file, os.path.realpath(self.path))
            # the same server answers a second program and the command
            with heavytail.open(self.path) as other:
                self.assertIsNone(other._server)
                self.assertEqual(other.graphs().column("graph"), ["g"])
            shown = subprocess.run([COMMAND, "exec", self.path, "--format", "csv", "SHOW GRAPHS COLUMNS graph"], capture_output=True, text=True, check=True)
            self.assertEqual(shown.stdout, "graph\ng\n")
        self.assertFalse(os.path.exists(self.path + ".sock"))
        with self.assertRaisesRegex(heavytail.Error, "closed"):
            db.query("SHOW GRAPHS")
        db.close()

    def test_ends_with_a_program_that_is_killed(self):
        text = f"import sys; sys.path.insert(0, {sys.path[0]!r}); import heavytail; heavytail.open({self.path!r}); print('open', flush=True); import time; time.sleep(600)"
        program = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
        self.assertEqual(program.stdout.readline(), b"open\n")
        program.kill()
        program.wait()
        program.stdout.close()
        for _ in range(1000):
            if not os.path.exists(self.path + ".sock"):
                break
            time.sleep(0.02)
        subprocess.run([COMMAND, "check", self.path], check=True, stdout=subprocess.DEVNULL)

    def test_long_path(self):
        folder = os.path.join(self.folder, "long" * 30)
        os.mkdir(folder)
        self.path = os.path.join(folder, "test.ht")
        db = self.open()
        self.assertEqual(len(connection.sockets(self.path)), 1)
        self.assertEqual(len(db.graphs()), 0)

    def test_errors(self):
        with self.assertRaisesRegex(heavytail.Error, "no such file"):
            self.open(create=False)
        with self.assertRaisesRegex(heavytail.Error, "is not there"):
            self.open(command=os.path.join(self.folder, "missing"))
        with open(self.path, "w") as file:
            file.write("no store" * 1000)
        with self.assertRaises(heavytail.Error):
            self.open()

    def test_read_only(self):
        self.open().query("CREATE GRAPH g")
        reader = self.open(read_only=True)
        with self.assertRaisesRegex(heavytail.Error, "reading only") as caught:
            reader.query("CREATE GRAPH h")
        self.assertIn("storage.ErrReadOnly", caught.exception.codes)
        self.assertEqual(len(reader.graphs()), 1)

    def test_address(self):
        token = os.path.join(self.folder, "token")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % free.getsockname()[1]
        self.open(flags=["--listen", address, "--token-file", token])
        with open(token) as file:
            secret = file.read().strip()
        for _ in range(1000):
            try:
                db = heavytail.connect(address, secret)
                break
            except ConnectionRefusedError:
                time.sleep(0.01)
        with db:
            self.assertEqual(len(db.graphs()), 0)
        with self.assertRaisesRegex(heavytail.Error, "token"):
            heavytail.connect(address, "wrong")


class TestQuery(Case):
    def test_rows(self):
        db = self.karate()
        table = db.query("SHOW VERTICES IN karate WHERE degree >= $d ORDER BY degree DESC", d=16)
        self.assertEqual(table.columns, ["vertex", "degree", "club"])
        self.assertEqual(table.types[:2], ["text", "integer"])
        self.assertEqual([row[:2] for row in table], [("33", 17), ("0", 16)])
        self.assertEqual(table["degree"], [17, 16])
        self.assertEqual(table[0], table.rows[0])
        self.assertEqual(table.dicts()[1]["club"], "Mr. Hi")
        with self.assertRaisesRegex(KeyError, "there are vertex"):
            table.column("nothing")
        self.assertIn("(2 rows)", repr(table))
        self.assertEqual(len(db.query("CREATE GRAPH empty")), 0)

    def test_values(self):
        db = self.open()
        db.query("CREATE GRAPH g")
        db.query("INSERT VERTICES 'a' (i := 3, f := 2.0, t := 'x <b>', b := TRUE), 'b' INTO g")
        table = db.query("SHOW VERTICES IN g COLUMNS i, f, t, b")
        self.assertEqual(table.rows, [("a", 3, 2.0, "x <b>", True), ("b", None, None, None, None)])
        self.assertIsInstance(table[0][1], int)
        self.assertIsInstance(table[0][2], float)
        arrays = table.numpy()
        self.assertEqual(arrays["i"].dtype, numpy.float64)
        self.assertTrue(math.isnan(arrays["f"][1]))
        self.assertEqual(arrays["b"].dtype, object)
        frame = table.df()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame.shape, (2, 5))
        self.assertIn("<td>x &lt;b&gt;</td>", table._repr_html_())
        full = db.query("SHOW VERTICES IN g COLUMNS degree, i, b WHERE i = 3").numpy()
        self.assertEqual((full["i"].dtype, full["degree"].dtype, full["b"].dtype), (numpy.int64, numpy.int64, bool))

    def test_arrow(self):
        db = self.open()
        db.query("GENERATE preferential_attachment(n := 3000, m := 3, seed := 1) INTO g")
        db.query("EMBED g USING fastrp(dim := 8) AS e")
        db.query("CREATE GRAPH h")
        rows = [f"'{key}' (i := {i}, f := {i / 7!r}, t := 'Zoë {i}', b := {i % 2 == 0})" for i, key in enumerate(["a", "b", "北京"])] + ["'d'"]
        db.query(f"INSERT VERTICES {', '.join(rows)} INTO h")
        for statement in (
            "SHOW VERTICES IN h", "SHOW VERTICES IN h WHERE i >= 0", "SHOW VERTICES IN h WHERE degree > 3", "SHOW VERTICES IN g", "SHOW EDGES IN g",
            "NEAREST 60 FOR ALL USING e", "NEAREST 3 TO '1' USING e", "DESCRIBE GRAPH g ALL", "DESCRIBE VERTEX 'a' IN h", "SHOW GRAPHS", "HELP NEAREST", "SHOW METHODS",
        ):
            plain, table = db.query(statement), db.query(statement, arrow=True)
            self.assertEqual((table.columns, table.types, table.notices, len(table)), (plain.columns, plain.types, plain.notices, len(plain)), statement)
            texts = [tuple(value if kind else heavytail.table._text(value) for value, kind in zip(row, plain.types)) for row in plain.rows]
            self.assertEqual(table.rows, texts, statement)
            if "" not in plain.types:
                pandas.testing.assert_frame_equal(table.df(), plain.df())
            try:
                import pyarrow
            except ImportError:
                for made in (plain, table):
                    with self.assertRaisesRegex(ImportError, "arrow.. needs pyarrow"):
                        made.arrow()
            else:
                self.assertEqual(table.arrow(), plain.arrow(), statement)
                self.assertEqual(table.arrow().to_pylist(), [dict(zip(table.columns, row)) for row in texts], statement)
        self.assertEqual(len(db.query("CREATE GRAPH empty", arrow=True)), 0)
        with self.assertRaises(heavytail.Error):
            db.query("SHOW VERTICES IN nothing", arrow=True)
        self.assertEqual(db.query("SHOW GRAPHS", arrow=True)["graph"], ["empty", "g", "h"])

    def test_parameters(self):
        self.assertEqual(connection.encoded(numpy.float32(0.5)), 0.5)
        self.assertEqual(connection.encoded(numpy.arange(3)), [0.0, 1.0, 2.0])
        self.assertEqual(connection.encoded(float("inf")), {"float": "inf"})
        for wrong, error in ((2**63, ValueError), (object(), TypeError), (["a"], TypeError)):
            with self.assertRaises(error):
                connection.encoded(wrong)

    def test_mistakes(self):
        db = self.karate()
        with self.assertRaises(heavytail.NotFound) as caught:
            db.query("SHOW VERTICES\nIN karat")
        e = caught.exception
        self.assertEqual((e.line, e.column, e.end_line, e.end_column, e.nearest), (2, 4, 2, 9, '"karate"'))
        self.assertTrue(str(e).endswith("\n  IN karat\n     ^^^^^"), str(e))
        with self.assertRaises(heavytail.Mistake) as caught:
            db.query("SHOW VERTICS")
        self.assertEqual((caught.exception.line, caught.exception.column), (1, 6))
        self.assertIn("parser.ErrSyntax", caught.exception.codes)
        with self.assertRaises(heavytail.Error) as caught:
            db.query("CREATE GRAPH karate")
        self.assertIn("storage.ErrExists", caught.exception.codes)
        self.assertEqual(len(db.graphs()), 1)  # the connection is still good

    def test_deadline_and_progress(self):
        db = self.karate()
        seen = []
        with self.assertRaises(heavytail.TimedOut):
            db.query("EMBED karate USING deepwalk(epochs := 65536) AS never", deadline=0.5, progress=seen.append)
        self.assertTrue(seen)
        self.assertIn("stage", seen[0])
        self.assertEqual(len(db.query("SHOW EMBEDDINGS")), 0)

    def test_interrupt(self):
        db = self.karate()
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            db.query("EMBED karate USING deepwalk(epochs := 65536) AS never")
        self.assertEqual(len(db.query("SHOW EMBEDDINGS")), 0)

    def test_threads(self):
        db = self.karate()
        failed = []

        def read():
            for _ in range(20):
                if len(db.query("SHOW VERTICES IN karate")) != 34:
                    failed.append(1)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    def test_server_killed(self):
        db = self.karate()
        threading.Timer(0.5, db._server._process.kill).start()
        with self.assertRaises(heavytail.Lost):
            db.query("EMBED karate USING deepwalk(epochs := 65536) AS never")
        with self.assertRaisesRegex(heavytail.Lost, "ended"):
            db.query("SHOW GRAPHS")
        db.close()
        with heavytail.open(self.path) as again:
            self.assertEqual(len(again.graphs()), 1)


class TestNetworkx(Case):
    def test_there_and_back(self):
        graph = networkx.Graph()
        graph.add_node("lonely", n=3, code="007", x=0.5, ok=True)
        graph.add_edge("a", "b'c", weight=2.5)
        graph.add_edge("b'c", 'd"é\n', weight=1.0)
        db = self.open()
        db.import_networkx(graph, "my graph")
        back = db.to_networkx("my graph")
        self.assertEqual(dict(back.nodes(data=True)), dict(graph.nodes(data=True)))
        self.assertEqual(list(back), list(graph))
        self.assertTrue(networkx.utils.graphs_equal(back, graph))

    def test_random_graphs(self):
        db = self.open()
        for seed in range(5):
            graph = networkx.barabasi_albert_graph(300, 3, seed=seed)
            db.import_networkx(graph, f"g{seed}")
            back = db.to_networkx(f"g{seed}")
            self.assertEqual({frozenset(e) for e in back.edges}, {frozenset(map(str, e)) for e in graph.edges})

    def test_large(self):
        graph = networkx.path_graph(60000)  # several lines of data
        db = self.open()
        db.import_networkx(graph, "path")
        self.assertEqual(db.graphs()[0][2:4], (60000, 59999))

    def test_directed(self):
        for made in networkx.DiGraph, networkx.Graph:
            graph = made()
            graph.add_edge("a", "b", weight=2.0, kind="mail", since=2020)
            graph.add_edge("c", "b", weight=1.0, close=True)
            if graph.is_directed():
                graph.add_edge("b", "a", weight=0.5, since=2021)
            db = self.open()
            db.import_networkx(graph, made.__name__)
            back = db.to_networkx(made.__name__)
            self.assertEqual(type(back), made)
            self.assertEqual(sorted(back.nodes), sorted(graph.nodes))
            ends = tuple if graph.is_directed() else frozenset

            def edges(of):
                # a weight of 1 is that of an edge without one
                return {ends(e[:2]): {"weight": 1.0, **e[2]} for e in of.edges(data=True)}

            self.assertEqual(edges(back), edges(graph))

    def test_refused(self):
        db = self.open()
        with self.assertRaisesRegex(ValueError, "two nodes"):
            db.import_networkx(networkx.Graph([(1, "1")]), "g")
        self.assertEqual(len(db.graphs()), 0)  # and the connection is still good


class TestMethods(Case):
    def test_embed_nearest_predict(self):
        db = self.karate()
        db.embed("karate", "e", "laplacian_eigenmaps", dim=4)
        vectors = {}
        db.query("EXPORT EMBEDDING e INTO FILE 'e.txt'")
        with open(os.path.join(self.folder, "e.txt")) as file:
            self.assertEqual(next(file), "34 4\n")
            for line in file:
                key, *numbers = line.split()
                vectors[key] = numpy.array(numbers, dtype=float)
        self.assertEqual(len(vectors), 34)
        want = sorted((numpy.linalg.norm(vectors[v] - vectors["0"]), v) for v in vectors if v != "0")[:5]
        got = db.nearest("e", "0", 5)
        numpy.testing.assert_allclose(got["distance"], [d for d, _ in want], rtol=1e-5)
        numpy.testing.assert_allclose(db.nearest("e", vectors["0"], 1)["distance"], [0], atol=1e-6)
        self.assertEqual(len(db.nearest("e", ["0", "1"], 3, metric="cosine", where="degree >= 2")), 3)

        graph = networkx.karate_club_graph()
        best = sorted((-s, u, v) for u, v, s in networkx.resource_allocation_index(graph))[:5]
        links = db.predict("resource_allocation", 5, graph="karate")
        numpy.testing.assert_allclose(links["score"], [-s for s, _, _ in best])
        of = db.predict("resource_allocation", 3, vertex="16", graph="karate")
        scores = sorted((s for _, _, s in networkx.resource_allocation_index(graph, [(16, v) for v in graph if v != 16 and not graph.has_edge(16, v)])), reverse=True)
        numpy.testing.assert_allclose(of["score"], scores[:3])

    def test_background(self):
        db = self.karate()
        job = db.embed("karate", "e", "fastrp", background=True, dim=8)
        self.assertEqual(db.query("WAIT JOB %d" % job["job"][0])["state"], ["done"])
        self.assertEqual(db.query("SHOW EMBEDDINGS")["embedding"], ["e"])
        with self.assertRaises(heavytail.Mistake):
            db.embed("karate", "f", "fastrp", dimm=8)


class Agent:
    """A client of heavytail-mcp, which speaks JSON-RPC by lines."""

    def __init__(self, case, path):
        self._process = subprocess.Popen([AGENTS, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        case.addCleanup(self._close)
        self._last = 0
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}})
        self._send({"method": "notifications/initialized"})

    def call(self, tool, **arguments):
        return self._ask("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

    def _send(self, message):
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _ask(self, method, params):
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            answer = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._last:
                return answer["result"]

    def _close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class TestTogether(Case):
    def test_notebook_agent_and_shell_beside_a_job(self):
        """One file is used by this program, an agent and the command while a job embeds in the background."""
        notebook = self.karate()
        job = notebook.embed("karate", "slow", "deepwalk", background=True, epochs=65536)["job"][0]
        agent = Agent(self, self.path)

        def shell(statement):
            return subprocess.run([COMMAND, "exec", self.path, "--format", "csv", statement], capture_output=True, text=True, check=True).stdout

        notebook.embed("karate", "e", "fastrp", dim=8)
        near = notebook.nearest("e", "0", 3)
        found = agent.call("query", statement="NEAREST 3 TO $who USING e", params={"who": "0"})
        self.assertEqual([tuple(row) for row in found["rows"]], near.rows)
        lines = shell("NEAREST 3 TO '0' USING e").splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[1:]], near["vertex"])
        shell("INSERT EDGE ('0', 'new') INTO karate")
        self.assertEqual(agent.call("list")["graphs"]["rows"][0][:3], ["karate", 35, 79])
        self.assertIn(notebook.query(f"SHOW JOBS WHERE job = {job}")["state"], (["queued"], ["running"]))
        self.assertEqual(agent.call("list")["jobs"]["rows"][0][0], job)
        self.assertEqual(shell(f"CANCEL JOB {job} COLUMNS job"), f"job\n{job}\n")
        self.assertEqual(notebook.query(f"WAIT JOB {job}")["state"], ["cancelled"])


if __name__ == "__main__":
    unittest.main()
