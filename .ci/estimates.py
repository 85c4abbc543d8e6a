#!/usr/bin/env python3
"""How much memory jobs take, and how much was reserved for them:

    .ci/estimates.py                    of a graph of 100,000 vertices
    .ci/estimates.py 100000 300000      of graphs of these sizes
    ONLY='INDEX|COMPUTE' .ci/estimates.py       the jobs that match a regular expression

    SHAPE=erdos_renyi M=20 .ci/estimates.py     of a graph without hubs, or of watts_strogatz, star, components, weighted, timed
    STORES=folder LONGEST=60 .ci/estimates.py   keeps the stores for the next run, and ends jobs after a minute

The graph has M=5 edges for each vertex, by preferential attachment if SHAPE does not say otherwise: weighted and timed add
weights or times, star has one hub, and components are of 100 vertices. Each job is a process of its own on a copy of one store. Reserved is what SHOW JOBS says of the same job in the
background; of a statement that cannot be a job it is the smallest memory limit that does not refuse
it, less those of the graph and the vectors that it loads. Taken is the largest
anonymous memory of the process (RssAnon, read every 5 ms, so pages of the file do not count
and garbage does), less that of a process which only loads the graph, where the job loads it,
and otherwise of a process which only opens the store, and less 4 bytes for each element of
the vectors that the job loads; where there is no job, under the limit that was found, because
some statements take more passes where they may take less memory. What a statement reserves
beside its job, such as the predictor of MATERIALIZE, is not in reserved. Prints Markdown; the
ratio is reserved / taken, the lowest and the highest of RUNS=1 runs.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
M, DIM = int(os.environ.get("M", "5")), 64
SHAPE = os.environ.get("SHAPE", "preferential_attachment")
RUNS = int(os.environ.get("RUNS", "1"))
LONGEST = float(os.environ.get("LONGEST", "inf"))  # seconds; then a job has mostly had its peak
GENERATORS = {"preferential_attachment": "m := {m}", "erdos_renyi": "m := {edges}", "watts_strogatz": "k := {degree}, beta := 0.1"}
SIZES = [int(n) for n in sys.argv[1:]] or [100_000]
MB = 1e6

NOTHING, GRAPH, VECTORS, BOTH = (False, False), (True, False), (False, True), (True, True)
OPEN, LOAD = "SHOW GRAPHS", "SHOW VERTICES IN g ORDER BY degree LIMIT 1"
EMBEDDINGS = ["dp_spectral", "laplacian_eigenmaps", "dp_walker(walks := 2)", "deepwalk(walks := 2)", "prone", "netmf", "fastrp"]
MEASURES = ["degree", "triangles", "core", "pagerank", "eigenvector", "katz", "component", "community",
            "harmonic(sources := 256)", "harmonic(sources := 2048)", "betweenness(sources := 50)", "eccentricity"]
if SHAPE == "weighted":
    MEASURES += ["strength", "harmonic(sources := 64, weighted := TRUE)", "betweenness(sources := 50, weighted := TRUE)"]
# Jobs: what each loads, and its statement.
JOBS = [
    *((GRAPH, f"EMBED g USING {m.rstrip(')')}{', ' if '(' in m else '('}dim := {DIM}) AS new") for m in EMBEDDINGS),
    *((GRAPH, f"COMPUTE {m} IN g AS value") for m in MEASURES),
    (VECTORS, "CREATE INDEX ON fast"),
    (BOTH, "TRAIN MODEL likely IN g USING fast"),
    (GRAPH, "TRAIN MODEL likely IN g USING heuristics(adamic_adar, jaccard)"),
    (GRAPH, "MATERIALIZE PREDICTIONS FROM adamic_adar IN g"),
    (BOTH, "MATERIALIZE PREDICTIONS FROM cosine(fast) IN g"),
    *((GRAPH, f"TUNE g USING {method} FOR {goal} AS new WITH (trials := {trials})") for goal, trials in (("LINKS", 4), ("RECONSTRUCTION", 6))
      for method in ("deepwalk(walks := 1, dim := 32)", "dp_spectral(dim := 32)")),
    (GRAPH, "TUNE g USING dp_spectral(dim := 32) FOR LABELS AS new WITH (trials := 4, attribute := 'group')"),
    (BOTH, "REFRESH fast"),
    (BOTH, "REFRESH spectral"),
    (BOTH, "REFRESH walked"),
    (BOTH, "VERIFY fast"),
    (BOTH, "VERIFY spectral"),
    (GRAPH, f"EVALUATE LINKS IN g USING fastrp(dim := {DIM})"),
    (GRAPH, "EVALUATE LINKS IN g"),
    (GRAPH, "EVALUATE LINKS IN g WITH (ranking := 10)"),
    (BOTH, "EVALUATE LABELS 'group' OF fast"),
    (BOTH, "EVALUATE RECONSTRUCTION OF fast"),
    (BOTH, "RECONSTRUCT fast AUTO INTO GRAPH new"),
    (NOTHING, "GENERATE {generator} INTO new"),
    (NOTHING, "IMPORT '{folder}/edges.csv' INTO new"),
    (GRAPH, "IMPORT EMBEDDING '{folder}/vectors.npy' INTO g AS new"),
    (GRAPH, "EXPORT GRAPH g INTO FILE '{folder}/out.csv' WITH (overwrite := TRUE)"),
    (BOTH, "EXPORT EMBEDDING fast INTO FILE '{folder}/out.npy' WITH (overwrite := TRUE)"),
    (GRAPH, "EXPORT PAIRS OF g INTO FILE '{folder}/out.csv' WITH (overwrite := TRUE)"),
    (GRAPH, "PREDICT 10 LINKS FOR ALL IN g WITH adamic_adar INTO FILE '{folder}/out.csv' WITH (overwrite := TRUE)"),
    (GRAPH, "PREDICT 1000 LINKS IN g WITH adamic_adar"),
    (BOTH, "NEAREST 10 FOR ALL USING fast INTO FILE '{folder}/out.csv' WITH (overwrite := TRUE)"),
    (BOTH, "CREATE GRAPH new AS NEAREST 10 USING fast"),
    (GRAPH, "CREATE GRAPH new AS NULL OF g"),
    (GRAPH, f"EMBED g USING unit_ball(dim := {DIM}) AS new"),  # last: of 100,000 vertices more than ten minutes
]


def anonymous(pid):
    """Memory of a process without the pages of its files, in bytes; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((1024 * int(line.split()[1]) for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


class Store:
    def __init__(self, program, folder, n):
        stores = pathlib.Path(os.environ.get("STORES", folder))
        self.program, self.made, self.copy, self.n = program, stores / f"{SHAPE}-{n}-{M}-{DIM}.ht", folder / "copy.ht", n
        self.changed = self.made.with_suffix(".changed")
        draw = random.Random(1)
        generator = SHAPE if SHAPE in GENERATORS else "preferential_attachment"
        options = GENERATORS[generator].format(m=M, edges=M * n, degree=2 * M)
        self.names = {"{generator}": f"{generator}(n := {n}, {options}, seed := 1)", "{folder}": str(folder)}
        if not self.changed.exists():
            self.make(folder, draw)
        for statement in (f"EXPORT GRAPH g INTO FILE '{folder}/edges.csv' WITH (overwrite := TRUE)",
                          f"EXPORT EMBEDDING fast INTO FILE '{folder}/vectors.npy' WITH (overwrite := TRUE)"):
            self.run(statement, self.made)

    def make(self, folder, draw):
        n = self.n
        pairs = ", ".join(f"('{draw.randrange(n)}', '{draw.randrange(n // 2)}')" for _ in range(n // 200))
        changed = f"INSERT EDGES {pairs} INTO g"
        text = folder / "made.csv"
        if SHAPE == "star":
            text.write_text("source,target\n" + "".join(f"0,{v}\n" for v in range(1, n)))
        elif SHAPE == "components":
            text.write_text("source,target\n" + "".join(f"{v},{v // 100 * 100 + draw.randrange(min(100, n - v // 100 * 100))}\n" for v in range(n) for _ in range(M)))
        elif SHAPE in ("weighted", "timed"):
            other = folder / "other.ht"
            self.run(self.named("GENERATE {generator} INTO g"), other)
            self.run(f"EXPORT GRAPH g INTO FILE '{folder}/plain.csv' WITH (overwrite := TRUE)", other)
            lines = [line.split(",")[:2] for line in (folder / "plain.csv").read_text().split()[1:]]
            name, value = ("weight", lambda: f"{draw.uniform(0.1, 10):.3f}") if SHAPE == "weighted" else ("time", lambda: str(draw.randrange(10**9)))
            text.write_text(f"source,target,{name}\n" + "".join(f"{u},{v},{value()}\n" for u, v in lines))
        for statement in (self.named("GENERATE {generator} INTO g") if SHAPE in GENERATORS else f"IMPORT '{text}' INTO g", "COMPUTE community IN g AS group",
                          f"EMBED g USING fastrp(dim := {DIM}) AS fast", f"EMBED g USING dp_spectral(dim := {DIM}) AS spectral",
                          f"EMBED g USING deepwalk(walks := 1, dim := {DIM}) AS walked"):
            self.run(statement, self.made)
        shutil.copy(self.made, self.copy)
        (folder / "changes").write_text(changed)
        subprocess.run([self.program, "exec", self.copy, "-f", folder / "changes"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(self.copy, self.changed)

    def named(self, statement):
        for name, text in self.names.items():
            statement = statement.replace(name, text)
        return statement

    def run(self, statement, store, limit=0, longest=float("inf")):
        """The largest anonymous memory of a process that runs a statement, for so many seconds at most."""
        process = subprocess.Popen([self.program, "exec", str(store), "--memory-limit", str(limit), "-c", statement], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        largest, end, self.ended = 0, time.monotonic() + longest, ""
        while process.poll() is None:
            largest = max(largest, anonymous(process.pid))
            time.sleep(0.005)
            if time.monotonic() > end:
                process.kill()
                process.wait()
                self.ended = "at least "
                return largest
        if process.returncode:
            raise RuntimeError(f"{statement}: {process.stderr.read().decode()[-2000:]}")
        return largest

    def fresh(self, statement):
        shutil.copy(self.changed if statement.startswith("REFRESH") else self.made, self.copy)
        return self.copy

    def demanded(self, statement):
        """The first memory that a statement asks for, and the least limit under which it runs: a statement
        that is refused says how much it needs, to three digits."""
        limit, first = 1, 0
        while True:
            done = subprocess.run([self.program, "exec", str(self.fresh(statement)), "--memory-limit", str(limit), "-c", statement], capture_output=True, text=True)
            need = re.search(r"would take ([\d.]+) (?:([KMG])iB|bytes)", done.stderr)
            if not need:
                return first, limit
            limit = max(limit + 1, int((float(need[1]) + 0.1) * 1024 ** " KMG".index(need[2] or " ")))
            first = first or limit

    def reserved(self, statement):
        """The memory of a job, which is killed when SHOW JOBS has shown it; None if the statement cannot be one."""
        process = subprocess.Popen([self.program, "exec", str(self.fresh(statement)), "--format", "ndjson", "-c",
                                    statement + " IN BACKGROUND; SHOW JOBS"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            for line in process.stdout:
                row = json.loads(line)
                if row.get("memory"):
                    return row["memory"]
        finally:
            process.kill()
            process.wait()


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    program = folder / "heavytail"
    subprocess.run(["go", "build", "-o", program, "./cmd/heavytail"], cwd=ROOT, check=True)
    print("| vertices | job | reserved, MB | taken, MB | ratio |\n|--:|---|--:|--:|--:|")
    for n in SIZES:
        store = Store(program, folder, n)
        base = {graph: max(store.run(statement, store.made) for _ in range(3)) for graph, statement in ((False, OPEN), (True, LOAD))}
        print(f"| {n:,} | (opens the store; loads the graph) | | {base[False] / MB:.0f}; {base[True] / MB:.0f} | |", flush=True)
        loaded, _ = store.demanded(LOAD)
        for (graph, vectors), statement in JOBS:
            if not re.search(os.environ.get("ONLY", ""), statement):
                continue
            title, statement = f"| {n:,} | `{statement}` |", store.named(statement)
            less, limit = base[graph] + (4 * n * DIM if vectors else 0), 0
            reserved = store.reserved(statement)
            if reserved is None:
                _, limit = store.demanded(statement)
                reserved = max(0, limit - (loaded if graph else 0) - ((4 * DIM + 8) * n if vectors else 0))
            try:
                taken = sorted(store.run(statement, store.fresh(statement), limit if limit > 1 else 0, LONGEST) - less for _ in range(RUNS))
            except RuntimeError as fault:  # netmf refuses matrices that are too large
                print(f"{title} | | {' '.join(str(fault).split())[-300:]} |", flush=True)
                continue
            ratios = " to ".join(f"{reserved / max(t, 1):.2f}" for t in dict.fromkeys((taken[-1], taken[0])))
            print(f"{title} {reserved / MB:.1f} | {store.ended}{taken[len(taken) // 2] / MB:.1f} | {ratios} |", flush=True)
