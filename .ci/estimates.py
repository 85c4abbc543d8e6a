#!/usr/bin/env python3
"""How much memory jobs take, and how much was reserved for them:

    .ci/estimates.py                    of a graph of 100,000 vertices
    .ci/estimates.py 100000 300000      of graphs of these sizes
    ONLY='INDEX|COMPUTE' .ci/estimates.py       the jobs that match a regular expression

    SHAPE=erdos_renyi M=20 .ci/estimates.py     of a graph without hubs, or of watts_strogatz

The graph has M=5 edges for each vertex, by preferential attachment if SHAPE does not say otherwise. Each job is a process of
its own on a copy of one store. Reserved is what SHOW JOBS says of the same job in the
background; an EVALUATE has no job, and its figure is the smallest memory limit that does not refuse
it, less that of the graph. Taken is the largest
anonymous memory of the process (RssAnon, read every 5 ms, so pages of the file do not count
and garbage does), less that of a process which only loads the graph, where the job loads it,
and otherwise of a process which only opens the store, and less 4 bytes for each element of
the vectors that the job loads. What a statement reserves beside its job, such as the
predictor of MATERIALIZE, is not in reserved. Prints Markdown; the ratio is reserved / taken, the lowest and
the highest of RUNS=1 runs.
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
SIZES = [int(n) for n in sys.argv[1:]] or [100_000]
MB = 1e6

GRAPH, VECTORS, BOTH = (True, False), (False, True), (True, True)
OPEN, LOAD = "SHOW GRAPHS", "SHOW VERTICES IN g ORDER BY degree LIMIT 1"
EMBEDDINGS = ["dp_spectral", "laplacian_eigenmaps", "dp_walker(walks := 2)", "deepwalk(walks := 2)", "prone", "netmf", "fastrp"]
MEASURES = ["degree", "triangles", "core", "pagerank", "eigenvector", "katz", "component", "community",
            "harmonic(sources := 256)", "harmonic(sources := 2048)", "betweenness(sources := 50)", "eccentricity"]
# Jobs: what each loads, and its statement.
JOBS = [
    *((GRAPH, f"EMBED g USING {m.rstrip(')')}{', ' if '(' in m else '('}dim := {DIM}) AS new") for m in EMBEDDINGS),
    *((GRAPH, f"COMPUTE {m} IN g AS value") for m in MEASURES),
    (VECTORS, "CREATE INDEX ON fast"),
    (BOTH, "TRAIN MODEL likely IN g USING fast"),
    (GRAPH, "TRAIN MODEL likely IN g USING heuristics(adamic_adar, jaccard)"),
    (GRAPH, "MATERIALIZE PREDICTIONS FROM adamic_adar IN g"),
    (BOTH, "MATERIALIZE PREDICTIONS FROM cosine(fast) IN g"),
    (GRAPH, "TUNE g USING deepwalk(walks := 1, dim := 32) FOR LINKS AS new WITH (trials := 4)"),
    (GRAPH, "TUNE g USING dp_spectral(dim := 32) FOR RECONSTRUCTION AS new WITH (trials := 6)"),
    (BOTH, "REFRESH fast"),
    (BOTH, "REFRESH spectral"),
    (BOTH, "REFRESH walked"),
    (BOTH, "VERIFY fast"),
    (BOTH, "VERIFY spectral"),
    (GRAPH, f"EVALUATE LINKS IN g USING fastrp(dim := {DIM})"),
    (GRAPH, "EVALUATE LINKS IN g"),
    (BOTH, "EVALUATE RECONSTRUCTION OF fast"),
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
        self.program, self.made, self.copy, self.n = program, folder / f"{n}.ht", folder / "copy.ht", n
        draw = random.Random(1)
        pairs = ", ".join(f"('{draw.randrange(n)}', '{draw.randrange(n // 2)}')" for _ in range(n // 200))
        changed = f"INSERT EDGES {pairs} INTO g"
        options = {"preferential_attachment": f"m := {M}", "erdos_renyi": f"m := {M * n}", "watts_strogatz": f"k := {2 * M}, beta := 0.1"}[SHAPE]
        for statement in (f"GENERATE {SHAPE}(n := {n}, {options}, seed := 1) INTO g",
                          f"EMBED g USING fastrp(dim := {DIM}) AS fast", f"EMBED g USING dp_spectral(dim := {DIM}) AS spectral",
                          f"EMBED g USING deepwalk(walks := 1, dim := {DIM}) AS walked"):
            self.run(statement, self.made)
        self.changed = folder / f"{n}-changed.ht"
        shutil.copy(self.made, self.changed)
        (folder / "changes").write_text(changed)
        subprocess.run([program, "exec", self.changed, "-f", folder / "changes"], check=True, stdout=subprocess.DEVNULL)

    def run(self, statement, store):
        """The largest anonymous memory of a process that runs a statement."""
        process = subprocess.Popen([self.program, "exec", str(store), "-c", statement], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        largest = 0
        while process.poll() is None:
            largest = max(largest, anonymous(process.pid))
            time.sleep(0.005)
        if process.returncode:
            raise RuntimeError(f"{statement}: {process.stderr.read().decode()[-2000:]}")
        return largest

    def fresh(self, statement):
        shutil.copy(self.changed if statement.startswith("REFRESH") else self.made, self.copy)
        return self.copy

    def demanded(self, statement):
        """The memory that a statement without a job reserves beside the graph, which it loads first: a
        statement that is refused says how much it needs, to three digits."""
        limit, first = 1, 0
        while True:
            done = subprocess.run([self.program, "exec", str(self.fresh(statement)), "--memory-limit", str(limit), "-c", statement], capture_output=True, text=True)
            need = re.search(r"would take ([\d.]+) ([KMG]i)B", done.stderr)
            if not need:
                return limit - first
            limit = max(limit + 1, int((float(need[1]) + 0.1) * 1024 ** ("KMG".index(need[2][0]) + 1)))
            first = first or limit

    def reserved(self, statement):
        """The memory of a job, which is killed when SHOW JOBS has shown it."""
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
        sys.exit(f"{statement}: no job")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    program = folder / "heavytail"
    subprocess.run(["go", "build", "-o", program, "./cmd/heavytail"], cwd=ROOT, check=True)
    print("| vertices | job | reserved, MB | taken, MB | ratio |\n|--:|---|--:|--:|--:|")
    for n in SIZES:
        store = Store(program, folder, n)
        base = {graph: max(store.run(statement, store.made) for _ in range(3)) for graph, statement in ((False, OPEN), (True, LOAD))}
        print(f"| {n:,} | (opens the store; loads the graph) | | {base[False] / MB:.0f}; {base[True] / MB:.0f} | |", flush=True)
        for (graph, vectors), statement in JOBS:
            if not re.search(os.environ.get("ONLY", ""), statement):
                continue
            less = base[graph] + (4 * n * DIM if vectors else 0)
            try:
                taken = sorted(store.run(statement, store.fresh(statement)) - less for _ in range(RUNS))
            except RuntimeError as fault:  # netmf refuses matrices that are too large
                print(f"| {n:,} | `{statement}` | | | {' '.join(str(fault).split())[-300:]} |", flush=True)
                continue
            reserved = (store.demanded if statement.startswith("EVALUATE") else store.reserved)(statement)
            ratios = " to ".join(f"{reserved / max(t, 1):.2f}" for t in dict.fromkeys((taken[-1], taken[0])))
            print(f"| {n:,} | `{statement}` | {reserved / MB:.1f} | {taken[len(taken) // 2] / MB:.1f} | {ratios} |", flush=True)
