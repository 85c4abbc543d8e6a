#!/usr/bin/env python3
"""How time, memory and bytes grow with a graph, from thousands of vertices to millions:

    .ci/large.py FOLDER                          10,000 to 5,000,000 vertices, 12 edges for each
    .ci/large.py FOLDER 10000 100000 1000000     only these numbers of vertices

Each step is one process on a graph of preferential attachment that was written to a text
file and imported from it. FOLDER keeps the stores and the figures, so that a run that was
stopped continues where it was; 5,000,000 vertices take some 12 GB of disk, 8 GB of memory
and an hour and a half of two processors. Prints Markdown: processor seconds, seconds on the
clock, the largest memory of the process without the pages of its files, and with each size
the exponent of processor seconds since the size before (1 is linear). To write it to a file
of figures: go run ./cmd/paper/record -command '`.ci/large.py FOLDER`' FILE .ci/large.py FOLDER.
WORKERS=1 sets the number of processors to compute with. Indexes are built up to INDEX=1000000
vertices: walks on such a graph have no groups, and an index of their vectors grows faster
than they do.
"""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
M = 12
WORKERS = os.environ.get("WORKERS", str(os.cpu_count()))
INDEX = int(os.environ.get("INDEX", "1000000"))
FOLDER = pathlib.Path(sys.argv[1])
SIZES = [int(n) for n in sys.argv[2:]] or [10_000, 100_000, 1_000_000, 5_000_000]


def steps(n, folder):
    """The name of each step, its statement, and the store that it uses."""
    text, pairs = folder / "edges.txt", folder / "pairs.csv"
    made, store = folder / "made.ht", folder / "store.ht"
    indexed = [
        ("index of dp_walker", "CREATE INDEX ON w", store),
        ("nearest 10, index", f"NEAREST 10 TO '{n // 2}' USING w", store),
    ]
    return [
        ("generate", f"GENERATE preferential_attachment(n := {n}, m := {M}, seed := 1) INTO g", made),
        ("export edges", f"EXPORT GRAPH g INTO FILE '{text}' WITH (overwrite := TRUE)", made),
        ("import edges", f"IMPORT '{text}' INTO g", store),
        ("describe", "DESCRIBE GRAPH g ALL", store),
        *((measure, f"COMPUTE {measure} IN g AS {measure}", store) for measure in ("component", "core", "triangles", "pagerank")),
        ("dp_spectral, dim 32", "EMBED g USING dp_spectral(dim := 32) AS s", store),
        ("dp_walker, walks 2, dim 64", "EMBED g USING dp_walker(walks := 2, dim := 64) AS w", store),
        ("nearest 10, scan", f"NEAREST 10 TO '{n // 2}' USING w EXACT", store),
        ("score 1,000,000 pairs, adamic_adar", f"SCORE FILE '{pairs}' IN g WITH adamic_adar INTO FILE '{folder / 'scores.csv'}' WITH (overwrite := TRUE)", store),
        ("score 1,000,000 pairs, cosine", f"SCORE FILE '{pairs}' IN g WITH cosine(w) INTO FILE '{folder / 'scores.csv'}' WITH (overwrite := TRUE)", store),
        ("check", "CHECK", store),
        *(indexed if n <= INDEX else []),
    ]


def write_pairs(n, path):
    draw = random.Random(1)
    with open(path, "w") as out:
        out.write("source,target\n")
        for _ in range(1_000_000):
            out.write(f"{draw.randrange(n)},{draw.randrange(n)}\n")


def seconds(x):
    return f"{x:,.0f}" if x >= 1000 else f"{x:.3g}"


def anonymous(pid):
    """Memory of a process without the pages of its files, in kB; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


def run(program, statement, store):
    began, largest = time.monotonic(), 0
    process = subprocess.Popen([program, "exec", str(store), "--workers", WORKERS, "--format", "json", "-c", statement],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        largest = max(largest, anonymous(process.pid))
        time.sleep(0.02)
    if status:
        sys.exit(f"{statement}: {process.stderr.read().decode()[-2000:]}")
    return {"processor": usage.ru_utime + usage.ru_stime, "clock": time.monotonic() - began, "memory": largest * 1024,
            "bytes": store.stat().st_size, "answer": process.stdout.read().decode()[:4000]}


def measure(program, n):
    folder = FOLDER / str(n)
    folder.mkdir(parents=True, exist_ok=True)
    journal = folder / "figures.json"
    figures = json.loads(journal.read_text()) if journal.exists() else {}
    if not (folder / "pairs.csv").exists():
        write_pairs(n, folder / "pairs.csv")
    for name, statement, store in steps(n, folder):
        if name not in figures:
            print(f"{n:,}: {name}", file=sys.stderr, flush=True)
            figures[name] = run(program, statement, store)
            journal.write_text(json.dumps(figures, indent=1))
    return figures


program = FOLDER / "heavytail"
FOLDER.mkdir(parents=True, exist_ok=True)
if not program.exists():
    subprocess.run(["go", "build", "-o", program.resolve(), "./cmd/heavytail"], cwd=ROOT, check=True)
found = {n: measure(program.resolve(), n) for n in SIZES}
print("| step |" + "".join(f" {n:,} |" for n in SIZES) + "\n|---|" + "---|" * len(SIZES))
for name, _, _ in steps(SIZES[0], FOLDER):
    cells = []
    for i, n in enumerate(SIZES):
        if name not in found[n]:
            cells.append("not run")
            continue
        f = found[n][name]
        cell = f"{seconds(f['processor'])} / {seconds(f['clock'])} s, {f['memory'] / 1e6:,.0f} MB"
        if i:
            before = found[SIZES[i - 1]][name]["processor"]
            cell += f" ({math.log(f['processor'] / before) / math.log(n / SIZES[i - 1]):.2f})"
        cells.append(cell)
    print(f"| {name} | " + " | ".join(cells) + " |")
sizes = [found[n]["import edges"]["bytes"] / (M * n) for n in SIZES]
print("| bytes of the imported file for an edge | " + " | ".join(f"{b:.1f}" for b in sizes) + " |")
