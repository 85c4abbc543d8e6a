"""Tests of the methods that are made from HELP; see test_heavytail.py."""

import inspect
import os
import subprocess
import unittest
import warnings
import xml.etree.ElementTree

from test_heavytail import COMMAND, Case  # first: it extends the path

import networkx
import numpy

import heavytail
from heavytail import Call, Where, language
from heavytail.statements import Statements


class TestEveryMethod(Case):
    def test_calls(self):
        """Every method runs, with options and rows, and is refused with a mistake that says where it is."""
        db, called = self.karate(), set()

        def call(method, *args, **options):
            called.add(method)
            return getattr(db, method)(*args, **options)

        with open(os.path.join(self.folder, "edges.csv"), "w") as file:
            file.write("from,to\na,b\nb,c\n")
        with open(os.path.join(self.folder, "people.csv"), "w") as file:
            file.write("key,age\na,41\n")
        self.assertEqual(call("generate", "erdos_renyi", "random", n=50, m=100, seed=1)[0][:3], ("random", 50, 100))
        call("create_graph", "made")
        call("create_directed_graph", "arcs")
        self.assertEqual(call("import_graph", "edges.csv", "made", source="from", target="to")[0][1:3], (3, 2))
        self.assertEqual(call("import_graph", "-", "piped", data=b"x y\ny z\n")["edges"], [2])
        self.assertEqual(call("import_vertices", "people.csv", "made", key="key")["updated"], [1])
        call("export_graph", "made", "made.graphml", overwrite=True)
        call("export_vertices", "made", "made.csv")
        self.assertEqual(dict(call("describe_graph", "made", all=True).rows)["edges"], 2)
        self.assertEqual(dict(call("describe_vertex", "a", "made").rows)["attribute age"], 41)
        self.assertEqual(call("vertices", "made", columns=["age"], where=Where("age >= $least", least=40)).rows, [("a", 41)])
        self.assertEqual(call("vertices", "made", order_by="degree", descending=True, limit=1)["vertex"], ["b"])
        self.assertEqual(call("edges", "made", limit=1, offset=1, arrow=True).rows, [("b", "c")])
        self.assertEqual(sorted(call("neighbors", "a", "made", within=2)["vertex"]), ["b", "c"])
        self.assertEqual(call("attributes", "made")["attribute"], ["age"])
        self.assertEqual(call("path", "a", "c", "made", by_weight=True)["vertex"], ["a", "b", "c"])
        self.assertEqual(call("paths", "a", "c", 2, "made")["step"], [0, 1, 2])
        self.assertEqual(call("count_vertices", "made", where="degree = 1").rows, [(2,)])
        self.assertEqual(call("count_edges", "made").rows, [(2,)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # networkx 2.8 calls what it has deprecated
            rank = networkx.pagerank(networkx.karate_club_graph(), weight="weight")
        got = call("compute", "pagerank", "karate", order_by="value", descending=True, limit=3)
        numpy.testing.assert_allclose(got["value"], sorted(rank.values(), reverse=True)[:3], atol=1e-5)
        call("compute", "pagerank", "karate", "rank", damping=0.5, start=["0", 33], background=False)
        self.assertEqual(call("refresh_measure", "rank", "karate")["kind"], ["none"])
        call("embed", "karate", "e", "fastrp", dim=8)
        call("embed", "karate", "spec", dim=4, beta=0.5, state=False)
        call("refresh", "e", tolerance=0.05)
        call("verify", "e", sample=20)
        call("export_embedding", "e", "e.txt", format="word2vec")
        self.assertEqual(call("import_embedding", "e.txt", "karate", "theirs", no_vertex="skip")["dim"], [8])
        self.assertEqual(call("nearest", "e", "0", 3, metric="cosine", exact=True).rows, call("nearest", "theirs", 0, 3, metric="cosine").rows)
        self.assertEqual(len(call("nearest", "e", ["0", "1"], where="NOT linked")), 10)
        self.assertEqual(len(call("nearest_of_all", "e", 2, count=5)), 10)
        self.assertTrue(set(call("within", "e", "0", radius=0.5)["vertex"]) <= set(call("within", "e", "0", radius=1)["vertex"]))
        call("reconstruct", "e", auto=True, graph="again", criterion="f1")
        call("evaluate_reconstruction", "e", points=16)
        call("create_index", "e", metric="cosine", m=4)
        self.assertEqual(call("indexes")["embedding"], ["e"])
        call("drop_index", "e")
        self.assertIn(8, call("describe_embedding", "e", all=True)["value"])
        self.assertEqual(len(call("vector", "0", "e")), 8)
        want = next(networkx.jaccard_coefficient(networkx.karate_club_graph(), [(0, 33)]))[2]
        self.assertAlmostEqual(call("score", [("0", "33")], ["jaccard", "cosine(e)"], "karate")["jaccard"][0], want)
        call("explain_score", "0", "33", "karate", scorers="adamic_adar")
        self.assertEqual(len(call("predict", "cosine(e)", 3, graph="karate", near=10)), 3)
        self.assertEqual(len(call("predict_of_all", "adamic_adar", 1, graph="karate", count=4)), 4)
        call("train_model", "friends", "karate", using=["e"], training=50)
        call("describe_model", "friends", all=True)
        self.assertEqual(len(call("predict", "model(friends)", 3, graph="karate", vertex="0")), 3)
        call("drop_model", "friends")
        call("evaluate_links", "karate", Call("fastrp", dim=8), scorers="adamic_adar", training=50)
        call("evaluate_links", "karate", ["fastrp", Call("dp_spectral", dim=4)], training=50)
        call("evaluate_labels", "club", "e", seeds=2)
        call("evaluate_parameters", "karate", Call("dp_spectral", dim=4), beta="0,1", points=16)
        call("tune", "karate", "best", "reconstruction", using=["fastrp"], trials=2)
        with self.assertRaises(ValueError):
            call("tune", "karate", "best", "speed")
        job = call("embed", "karate", "slow", "deepwalk", background=True, epochs=65536)["job"][0]
        self.assertEqual(call("cancel_job", job)["job"], [job])
        call("wait_job", job)
        call("resume_job", job, background=True)
        db.cancel_job(job)
        call("wait_job", job)
        self.assertIn(job, call("jobs")["job"])
        self.assertEqual(len(call("check")), 0)
        call("backup", "copy.ht", overwrite=True)
        self.assertEqual(call("embeddings", where="graph = 'karate'", columns=["embedding"])["embedding"], ["best", "e", "spec", "theirs"])
        call("drop_embedding", "theirs")
        call("models")
        call("predictions")
        call("drop_graph", "again", cascade=True)
        self.assertNotIn("again", call("graphs")["graph"])
        every = {name for name, _ in inspect.getmembers(Statements, inspect.isfunction) if name[0] != "_" and not name.startswith("plot")}
        self.assertEqual(called, every)
        for name in every:
            self.assertTrue(inspect.getdoc(getattr(Statements, name)), name)

    def test_mistakes(self):
        db = self.karate()
        with self.assertRaises(heavytail.NotFound) as caught:
            db.nearest("nothing", "0")
        self.assertEqual(caught.exception.line, 1)
        with self.assertRaisesRegex(heavytail.Mistake, "dimm"):
            db.embed("karate", "e", "fastrp", dimm=8)
        for wrong in ("", "jaccard)", "a b", "(e)", "jaccard; DROP GRAPH karate"):
            with self.assertRaises(ValueError):
                db.predict(wrong, graph="karate")
        with self.assertRaisesRegex(ValueError, "two values"):
            db.nearest("e", "0", where=Where("degree > $__1", __1=3))


class TestPictures(Case):
    def test_every_kind(self):
        db = self.karate()
        db.embed("karate", "e", "fastrp", dim=8)
        drawn = {
            "degrees": db.plot_degrees("karate", "e", law=False),
            "parameters": db.plot_parameters("karate", vary="dim=4,8", using=["fastrp", "dp_spectral(beta := 0.5)"]),
            "projection": db.plot_projection("e", color="club"),
            "graph": db.plot_graph("karate", labels=3, title="Zoë <b> & --out", all=True),
            "links": db.plot_links("karate", scorers=["l3", "jaccard"]),
        }
        self.assertEqual(set(drawn), {name[5:] for name, _ in inspect.getmembers(Statements, inspect.isfunction) if name.startswith("plot_")})
        for kind, picture in drawn.items():
            self.assertTrue(xml.etree.ElementTree.fromstring(picture._repr_svg_()).tag.endswith("svg"), kind)
        self.assertIn("Zoë &lt;b&gt; &amp; --out", drawn["graph"].svg)
        path = os.path.join(self.folder, "picture.svg")
        drawn["graph"].save(path)
        made = os.path.join(self.folder, "made.svg")
        subprocess.run([COMMAND, "plot", "graph", self.path, "--labels", "3", "--title", "Zoë <b> & --out", "--all", "--out", made], check=True)
        with open(path) as one, open(made) as other:
            self.assertEqual(one.read(), other.read())
        with self.assertRaisesRegex(heavytail.Error, "writes no picture"):
            db.plot("graph", out=os.path.join(self.folder, "attack.svg"))
        for wrong in (dict(kind="nothing"), dict(kind="graph", colr="club"), dict(kind="graph", vertices=0)):
            with self.assertRaises(heavytail.Error):
                db.plot(**wrong)
        with self.assertRaises(heavytail.NotFound):
            db.plot_graph("--out=attack.svg")
        self.assertEqual([name for name in os.listdir(self.folder) if "attack" in name], [])
        with self.assertRaises(heavytail.TimedOut):
            db.plot("projection", "e", deadline=1e-6)
        self.assertEqual(db.graphs()["graph"], ["karate"])


class TestText(Case):
    def test_nothing_is_pasted(self):
        """Names and values with signs of the language are taken as they are."""
        db = self.open()
        for i, odd in enumerate(['a"b', "a'b", "a; DROP GRAPH g", 'a" AS "b', "$x", "a) USING b", "Zoë 北京", "--", "a(b)"]):
            db.create_graph(odd)
            self.assertIn(odd, db.graphs()["graph"])
            db.import_graph("-", odd, data=f"{i} next\n".encode(), separator=" ")
            db.query("INSERT VERTEX $v INTO " + language.quoted(odd), v=odd)
            self.assertEqual(db.vertices(odd, where=Where("key = $k", k=odd)).column("vertex"), [odd])
            self.assertEqual(dict(db.describe_vertex(odd, odd).rows)["vertex"], odd)
            db.embed(odd, odd, "fastrp", dim=2)
            self.assertEqual(len(db.nearest(odd, odd, 1)), 1)
            self.assertEqual(len(db.score([(odd, "next")], f"cosine({odd})", odd)), 1)
            with self.assertRaises(heavytail.Error):
                db.compute(odd, odd)
            with self.assertRaises(heavytail.Error):
                db.embed(odd, "e", "fastrp", **{odd: 1})
            db.drop_graph(odd, cascade=True)
        self.assertEqual(len(db.graphs()), 0)

    def test_scorers(self):
        self.assertEqual(language.scorer("jaccard"), '"jaccard"')
        self.assertEqual(language.scorer(" cosine ( my e ) "), '"cosine"("my e")')
        self.assertEqual(language.scorer('cosine("a""b")'), '"cosine"("a""b")')
        self.assertEqual(language.scorer('cosine(a"b)'), '"cosine"("a""b")')


if __name__ == "__main__":
    unittest.main()
