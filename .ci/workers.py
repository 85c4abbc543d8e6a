#!/usr/bin/env python3
# How much sooner long statements end with two workers than with one: a table of seconds on
# the clock of whole processes, each the lower of two runs, with as many processors as workers:
# the store uses all. It says little while the machine does other work.
# go run ./cmd/paper/record FILE .ci/workers.py writes it to a file of figures.
#
#   .ci/workers.py [DATA]      real graphs are in ../shared/data, $HEAVYTAIL_DATA or DATA
#   ONLY='IMPORT|COMPUTE' .ci/workers.py     the statements that match a regular expression
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = sys.argv[1] if len(sys.argv) > 1 else os.environ.get('HEAVYTAIL_DATA', os.path.join(ROOT, '../shared/data'))

MAKE = [
    f"IMPORT '{DATA}/soc-Epinions1.txt.gz' INTO epinions",
    f"IMPORT '{DATA}/dblp.txt.gz' INTO dblp",
    'GENERATE preferential_attachment(n := 1000000, m := 5, seed := 1) INTO large',
    'EMBED epinions USING fastrp(dim := 128) AS wide',
    'EMBED dblp USING fastrp(dim := 64) AS narrow',
]
STATEMENTS = [
    f"IMPORT '{DATA}/ego-twitter.txt.gz' INTO twitter",
    'DESCRIBE GRAPH large',
    *(f'COMPUTE {m} IN large AS value' for m in ('component', 'core', 'triangles', 'pagerank', 'katz', 'eigenvector', 'community')),
    *(f'COMPUTE {m} IN epinions AS value' for m in ('harmonic', 'betweenness')),
    *(f'EMBED epinions USING {m}(dim := 64) AS new' for m in ('laplacian_eigenmaps', 'dp_spectral', 'prone')),
    'EMBED large USING fastrp(dim := 64) AS new',
    *(f'EMBED dblp USING {m} AS new' for m in ('deepwalk(walks := 2, dim := 64)', 'dp_walker(walks := 2, dim := 64)', 'unit_ball(dim := 64)')),
    'EVALUATE RECONSTRUCTION OF narrow',
    'CREATE INDEX ON narrow',
    'NEAREST 10 FOR ALL USING wide',
    'PREDICT 100 LINKS IN epinions WITH resource_allocation',
    'PREDICT 100 LINKS IN dblp WITH cosine(narrow)',
    'MATERIALIZE PREDICTIONS FROM adamic_adar IN epinions',
    'TRAIN MODEL likely IN dblp USING narrow',
    'VERIFY wide',
]


def run(program, store, statement, workers):
    began = time.monotonic()
    subprocess.run([program, 'exec', store, '--workers', str(workers), '--format', 'csv', '-c', statement],
                   check=True, env=dict(os.environ, GOMAXPROCS=str(workers)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


with tempfile.TemporaryDirectory() as folder:
    program, store, copy = (os.path.join(folder, name) for name in ('heavytail', 'made.ht', 'copy.ht'))
    subprocess.run(['go', 'build', '-o', program, './cmd/heavytail'], cwd=ROOT, check=True)
    for statement in MAKE:
        run(program, store, statement, 2)
    print('| statement | one, s | two, s | ratio |\n|---|--:|--:|--:|')
    for statement in STATEMENTS:
        if not re.search(os.environ.get('ONLY', ''), statement):
            continue
        least = {}
        for workers in (1, 2, 1, 2):
            shutil.copy(store, copy)
            taken = run(program, copy, statement, workers)
            least[workers] = min(taken, least.get(workers, taken))
        shown = statement.replace(DATA + '/', '')
        print(f'| `{shown}` | {least[1]:.2f} | {least[2]:.2f} | {least[1] / least[2]:.2f} |', flush=True)
