// The exchange of .ci/peers/parquet with polars, in an empty folder: node polars.mjs HEAVYTAIL
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import pl from 'nodejs-polars'

const heavytail = process.argv[2]
const run = (statements) => execFileSync(heavytail, ['exec', 'polars.ht', '-c', statements], { stdio: ['ignore', 'ignore', 'pipe'] })
let failures = 0
function same(what, got, want) {
  if (JSON.stringify(got) === JSON.stringify(want)) return
  failures++
  console.log(`${what}: polars has ${JSON.stringify(got).slice(0, 300)} instead of ${JSON.stringify(want).slice(0, 300)}`)
}

const pairs = 20000
const all = [...Array(pairs).keys()]
const edges = pl.DataFrame({
  from: all.map((i) => `user ${i % 700}`), dest: all.map((i) => ((i * 7919) % 12347) + 100000),
  strength: all.map((i) => ((i % 97) + 1) / 8), at: all.map((i) => (i % 3 ? new Date(1.7e12 + i * 60000) : null)),
}).withColumn(pl.col('dest').cast(pl.UInt32).alias('dest'))
const names = pl.DataFrame({ name: all.slice(0, 700).map((i) => `user ${i}`), n: all.slice(0, 700).map((i) => (i % 2 ? null : i / 4)), b: all.slice(0, 700).map((i) => i % 3 === 0) })
const rows = (frame, columns) => frame.select(...columns).rows().map((row) => row.map((x) => (x instanceof Date ? x.getTime() : x)))
const sorted = (list) => list.map((x) => JSON.stringify(x)).sort()

for (const compression of ['zstd', 'snappy', 'gzip', 'lz4', 'brotli', 'uncompressed']) {
  for (const categories of [false, true]) {
    const theirs = categories ? edges.withColumn(pl.col('from').cast(pl.Categorical).alias('from')) : edges
    theirs.writeParquet('theirs.parquet', { compression })
    names.writeParquet('names.parquet', { compression })
    for (const name of ['polars.ht', 'ours.parquet', 'names2.parquet', 'e.parquet']) rmSync(name, { force: true })
    run(`IMPORT 'theirs.parquet' INTO h WITH (source := 'from', target := 'dest', weight := 'strength', time := 'at');
IMPORT VERTICES 'names.parquet' INTO h WITH (key := 'name'); EMBED h USING fastrp(dim := 8, seed := 1) AS e;
EXPORT GRAPH h INTO FILE 'ours.parquet'; EXPORT VERTICES OF h INTO FILE 'names2.parquet'; EXPORT EMBEDDING e INTO FILE 'e.parquet'`)
    const label = `${compression}${categories ? ', categories' : ''}: `
    // An edge has no direction, so its ends may be exchanged.
    const ours = rows(pl.readParquet('ours.parquet'), ['source', 'target', 'weight', 'time']).map(([u, v, w, t]) => (u.startsWith('user') ? [u, v, w, t] : [v, u, w, t]))
    same(label + 'edges', sorted(ours), sorted(rows(edges, ['from', 'dest', 'strength', 'at']).map(([u, v, w, t]) => [u, String(v), w, t])))
    const vertices = rows(pl.readParquet('names2.parquet'), ['vertex', 'n', 'b']).filter(([key]) => key.startsWith('user'))
    same(label + 'vertices', sorted(vertices), sorted(rows(names, ['name', 'n', 'b'])))
    const vectors = pl.readParquet('e.parquet')
    same(label + 'vectors', vectors.getColumn('vector').toArray().map((v) => v.length), vectors.getColumn('vertex').toArray().map(() => 8))
  }
}
if (failures === 0) console.log('Parquet: polars reads what heavytail writes, and heavytail what polars writes')
process.exit(failures > 0 ? 1 : 0)
