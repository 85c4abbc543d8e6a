#!/usr/bin/env python3
# What the first statement of a process takes, from its start to its end: a table of processor milliseconds, megabytes
# and page faults that need no disk, the medians of 41 runs of each command by turns. The last row is sqlite3 on a file
# with a table of as many rows as the graph has edges.
#
#   .ci/first.py COMMAND [COMMAND …]     such as heavytail of two commits; the graph is ego-twitter of ../shared/data or $HEAVYTAIL_DATA
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get('HEAVYTAIL_DATA', os.path.join(ROOT, '../shared/data'))
RUNS = int(os.environ.get('RUNS', '41'))
EDGES = ["PATH FROM '1' TO '60000' IN g", "SHOW NEIGHBORS OF '60000' IN g", 'SHOW EDGES IN g LIMIT 10',
         "SCORE ('1', '60000') IN g WITH adamic_adar", "PREDICT 5 LINKS FOR '60000' IN g WITH adamic_adar"]
STATEMENTS = [('undirected', 'SHOW GRAPHS'), ('undirected', "NEAREST 5 TO '60000' USING e")]
STATEMENTS += [(kind, s) for kind in ('undirected', 'directed') for s in EDGES]


def run(argv):
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in range(3)])
    os.close(null)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f'{argv} failed')
    return 1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024, used.ru_minflt


def row(name, commands):
    runs = [[] for _ in commands]
    for i in range(RUNS):
        for at in range(len(commands)) if i % 2 else reversed(range(len(commands))):
            runs[at].append(run(commands[at]))
    cells = []
    for of in runs:
        spent, memory, faults = map(statistics.median, zip(*of))
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # which a process inherits, so that less is not known
        cells += [f'{spent:.1f}', f'{memory:.0f}' if memory > 1.1 * own else '', f'{faults:.0f}']
    print('|', ' | '.join([name, *cells]), '|', flush=True)


def main(programs):
    programs = [os.path.abspath(p) for p in programs]
    with tempfile.TemporaryDirectory() as folder:
        files = {kind: os.path.join(folder, kind + '.ht') for kind in ('undirected', 'directed')}
        for kind, file in files.items():
            make = f"IMPORT '{DATA}/ego-twitter.txt.gz' INTO g WITH (directed := '{str(kind == 'directed').lower()}'); EMBED g USING fastrp(dim := 32) AS e"
            subprocess.run([programs[0], 'exec', file, '-c', make], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        other = os.path.join(folder, 'edges.db')
        with sqlite3.connect(other) as db:
            db.execute('CREATE TABLE edges (source INTEGER, target INTEGER)')
            db.executemany('INSERT INTO edges VALUES (?, ?)', ((i % 81306, 7 * i % 81306) for i in range(1342296)))
        print('| graph | first statement |', ' | '.join(f'{p}: processor ms | MB | faults' for p in map(os.path.basename, programs)), '|')
        print('|---|---|' + '--:|' * 3 * len(programs))
        for kind, statement in STATEMENTS:
            row(f'{kind} | `{statement}`', [[p, 'exec', files[kind], '-c', statement] for p in programs])
        row('| sqlite3 `.tables`', [[shutil.which('sqlite3'), other, '.tables']] * len(programs))


main(sys.argv[1:])
