// Exchanges a graph, vertices, vectors and rows with apache-arrow (JavaScript) and polars by Arrow IPC, both ways,
// in an empty folder: node arrow.mjs HEAVYTAIL
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as arrow from 'apache-arrow'
import pl from 'nodejs-polars'

const heavytail = process.argv[2]
const run = (statements, file = 'a.ht') => execFileSync(heavytail, ['exec', file, '-c', statements], { stdio: ['ignore', 'ignore', 'pipe'] })
let failures = 0
const text = (x) => JSON.stringify(x, (_, v) => (typeof v === 'bigint' ? Number(v) : v))
function same(what, got, want) {
  if (text(got) === text(want)) return
  failures++
  console.log(`${what}: ${text(got).slice(0, 400)} instead of ${text(want).slice(0, 400)}`)
}
const plain = (x) => (x && typeof x === 'object' && typeof x.toArray === 'function' ? [...x.toArray()].map(plain) : x)
const rowsOf = (table) => table.toArray().map((row) => row.toArray().map(plain))

// From heavytail to apache-arrow and polars.
writeFileSync('edges.csv', 'source,target,weight,time\nada,"b ""o""\nb",0.25,2024-02-29\nada,cyd,3,1969-12-31T23:59:59Z\n')
writeFileSync('people.csv', 'key,age,score,ok,note:text\nada,41,0.1,true,\n"b ""o""\nb",-7,,false,007\ncyd,,1e300,,é|北京\n')
run(`IMPORT 'edges.csv' INTO g; IMPORT VERTICES 'people.csv' INTO g; EMBED g USING laplacian_eigenmaps(dim := 2, seed := 7) AS e;
GENERATE preferential_attachment(n := 70000, m := 2, seed := 1) INTO big`)
for (const ending of ['arrow', 'arrows']) {
  run(`EXPORT GRAPH g INTO FILE 'edges.${ending}' WITH (overwrite := TRUE); EXPORT VERTICES OF g INTO FILE 'people.${ending}' WITH (overwrite := TRUE);
EXPORT EMBEDDING e INTO FILE 'e.${ending}'; EXPORT WALKS OF g USING deepwalk(walks := 1, length := 3, seed := 1) INTO FILE 'walks.${ending}';
SHOW VERTICES IN big INTO FILE 'big.${ending}'; SHOW VERTICES IN g WHERE degree > 99 INTO FILE 'none.${ending}'`)
  const read = (name) => arrow.tableFromIPC(readFileSync(`${name}.${ending}`))
  const edges = read('edges')
  same(`${ending}: types of edges`, edges.schema.fields.map((f) => `${f.name} ${f.type}`), ['source Utf8', 'target Utf8', 'weight Float32', 'time Timestamp<MILLISECOND, UTC>'])
  same(`${ending}: edges`, rowsOf(edges), [['ada', 'b "o"\nb', 0.25, 1709164800000], ['ada', 'cyd', 3, -1000]])
  const people = read('people')
  same(`${ending}: types of vertices`, people.schema.fields.map((f) => `${f.name} ${f.type}`), ['vertex Utf8', 'age Int64', 'score Float64', 'ok Bool', 'note Utf8'])
  same(`${ending}: vertices`, rowsOf(people), [['ada', 41, 0.1, true, null], ['b "o"\nb', -7, null, false, '007'], ['cyd', null, 1e300, null, 'é|北京']])
  const vectors = read('e')
  same(`${ending}: type of vectors`, `${vectors.schema.fields[2].type}`, 'FixedSizeList[2]<Float32>')
  same(`${ending}: vectors`, rowsOf(vectors).map(([v, id, list]) => [v, id, list.length]), [['ada', 0, 2], ['b "o"\nb', 1, 2], ['cyd', 2, 2]])
  same(`${ending}: metadata`, [...vectors.schema.metadata].filter(([k]) => k === 'heavytail.method' || k === 'heavytail.dim').map(([, v]) => v).sort(), ['2', 'laplacian_eigenmaps'])
  same(`${ending}: walks`, rowsOf(read('walks')).map(([n, list]) => [n, list.length, list.every((v) => typeof v === 'string')]), [[0, 3, true], [1, 3, true], [2, 3, true]])
  same(`${ending}: no rows`, [read('none').numRows, read('none').schema.fields[0].name], [0, 'vertex'])
  const big = read('big')
  same(`${ending}: batches`, [big.numRows, big.batches.length > 1, big.getChild('degree').toArray().reduce((a, b) => a + b, 0n)], [70000, true, 279994])
  const frame = ending === 'arrow' ? pl.readIPC(readFileSync('people.arrow')) : pl.readIPCStream(readFileSync('people.arrows'))
  same(`${ending}: polars, vertices`, frame.rows(), [['ada', 41, 0.1, true, null], ['b "o"\nb', -7, null, false, '007'], ['cyd', null, 1e300, null, 'é|北京']])
  const all = ending === 'arrow' ? pl.readIPC(readFileSync('big.arrow')) : pl.readIPCStream(readFileSync('big.arrows'))
  same(`${ending}: polars, batches`, [all.height, all.getColumn('degree').sum()], [70000, 279994])
}

// From apache-arrow and polars to heavytail and back.
const pairs = 20000
const numbers = [...Array(pairs).keys()]
const from = numbers.map((i) => `user ${i % 700}`)
const dest = numbers.map((i) => ((i * 7919) % 12347) + 100000)
const strength = numbers.map((i) => ((i % 97) + 1) / 8)
const at = numbers.map((i) => (i % 3 ? 1.7e12 + i * 60000 : null))
const names = numbers.slice(0, 700)
const wantEdges = numbers.map((i) => text([from[i], String(dest[i]), strength[i], at[i]])).sort()
const wantNames = names.map((i) => text([`user ${i}`, i % 2 ? null : i, i / 4, i % 3 === 0])).sort()

function back(label, edges, people, vectors) {
  for (const name of ['b.ht', 'ours.arrow', 'names2.arrow', 'vecs2.arrow']) rmSync(name, { force: true })
  run(`IMPORT '${edges}' INTO h WITH (source := 'from', target := 'dest', weight := 'strength', time := 'at');
IMPORT VERTICES '${people}' INTO h WITH (key := 'name'); EXPORT GRAPH h INTO FILE 'ours.arrow'; EXPORT VERTICES OF h INTO FILE 'names2.arrow'`, 'b.ht')
  const ours = rowsOf(arrow.tableFromIPC(readFileSync('ours.arrow'))).map(([u, v, w, t]) => text(u.startsWith('user') ? [u, v, w, t] : [v, u, w, t]))
  same(`${label}: edges`, ours.sort(), wantEdges)
  const table = arrow.tableFromIPC(readFileSync('names2.arrow')).select(['vertex', 'n', 'x', 'b'])
  same(`${label}: vertices`, rowsOf(table).filter(([key]) => key.startsWith('user')).map(text).sort(), wantNames)
  if (!vectors) return
  run(`IMPORT EMBEDDING '${vectors}' INTO h AS v WITH (key := 'name', vector := 'vec', no_vector := 'zero'); EXPORT EMBEDDING v INTO FILE 'vecs2.arrow'`, 'b.ht')
  const got = rowsOf(arrow.tableFromIPC(readFileSync('vecs2.arrow'))).filter(([key]) => key.startsWith('user')).map(([key, , list]) => text([key, list]))
  same(`${label}: vectors`, got.sort(), names.map((i) => text([`user ${i}`, [i, 0.5, -i]])).sort())
}

const dictionary = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())
for (const coded of [false, true]) {
  const edges = new arrow.Table({
    from: coded ? arrow.vectorFromArray(from, dictionary) : arrow.vectorFromArray(from, new arrow.Utf8()), dest: arrow.vectorFromArray(dest, new arrow.Uint32()),
    strength: arrow.vectorFromArray(strength, new arrow.Float64()), at: arrow.vectorFromArray(at, new arrow.TimestampMicrosecond()),
  })
  const people = new arrow.Table({
    name: arrow.vectorFromArray(names.map((i) => `user ${i}`), new arrow.Utf8()), n: arrow.vectorFromArray(names.map((i) => (i % 2 ? null : i)), new arrow.Int16()),
    x: arrow.vectorFromArray(names.map((i) => i / 4), new arrow.Float32()), b: arrow.vectorFromArray(names.map((i) => i % 3 === 0), new arrow.Bool()),
  })
  const list = coded ? new arrow.FixedSizeList(3, new arrow.Field('item', new arrow.Float32())) : new arrow.List(new arrow.Field('item', new arrow.Float64()))
  const vectors = new arrow.Table({ name: people.getChild('name'), vec: arrow.vectorFromArray(names.map((i) => [i, 0.5, -i]), list) })
  for (const form of ['file', 'stream']) {
    for (const [name, table] of Object.entries({ edges, people, vectors })) writeFileSync(`their-${name}.arrow`, arrow.tableToIPC(table, form))
    back(`apache-arrow, ${form}${coded ? ', dictionary' : ''}`, 'their-edges.arrow', 'their-people.arrow', 'their-vectors.arrow')
  }
}
const frame = pl.DataFrame({ from, dest, strength, at: at.map((t) => (t === null ? null : new Date(t))) }).withColumn(pl.col('dest').cast(pl.UInt32).alias('dest'))
const people = pl.DataFrame({ name: names.map((i) => `user ${i}`), n: names.map((i) => (i % 2 ? null : i)), x: names.map((i) => i / 4), b: names.map((i) => i % 3 === 0) })
const counted = people.withColumn(pl.col('n').cast(pl.Int64).alias('n'))
for (const compression of ['uncompressed', 'lz4', 'zstd']) {
  for (const categories of [false, true]) {
    const edges = categories ? frame.withColumn(pl.col('from').cast(pl.Categorical).alias('from')) : frame
    edges.writeIPC('polars-edges.arrow', { compression })
    counted.writeIPC('polars-people.feather', { compression })
    back(`polars, ${compression}${categories ? ', categories' : ''}`, 'polars-edges.arrow', 'polars-people.feather')
  }
}
if (failures === 0) console.log('Arrow: apache-arrow and polars read what heavytail writes, and heavytail what they write')
process.exit(failures > 0 ? 1 : 0)
