// The exchange of .ci/peers/parquet, in an empty folder: node parquet.mjs HEAVYTAIL
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

const heavytail = process.argv[2]
const duck = await (await DuckDBInstance.create(':memory:')).connect()
let failures = 0

const pairs = 20000
const run = (statements, file = 'x.ht') => execFileSync(heavytail, ['exec', file, '--format', 'json', '-c', statements], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
const ask = async (sql) => (await duck.runAndReadAll(sql)).getRowObjectsJson()

async function same(what, sql, want) {
  const got = JSON.stringify(await ask(sql))
  if (got === JSON.stringify(want)) return
  failures++
  console.log(`${what}: DuckDB has\n${got}\ninstead of\n${JSON.stringify(want)}`)
}

// From heavytail to DuckDB.
writeFileSync('edges.csv', 'source,target,weight,time\nada,"b ""o""\nb",0.25,2024-02-29\nada,cyd,3,1969-12-31T23:59:59Z\n')
writeFileSync('people.csv', 'key,age,score,ok,note:text\nada,41,0.1,true,\n"b ""o""\nb",-7,,false,007\ncyd,,1e300,,é|北京\n')
run(`IMPORT 'edges.csv' INTO g; IMPORT VERTICES 'people.csv' INTO g;
EMBED g USING laplacian_eigenmaps(dim := 2, seed := 7) AS e;
EXPORT GRAPH g INTO FILE 'edges.parquet'; EXPORT VERTICES OF g INTO FILE 'people.parquet';
EXPORT EMBEDDING e INTO FILE 'e.parquet'; SHOW VERTICES IN g INTO FILE 'rows.parquet';
EXPORT WALKS OF g USING deepwalk(walks := 1, length := 3, seed := 1) INTO FILE 'walks.parquet';
PREDICT 2 LINKS FOR ALL IN g WITH common_neighbors INTO FILE 'links.parquet'`)
await same('types of edges', "SELECT column_name AS c, column_type AS t FROM (DESCRIBE FROM 'edges.parquet')", [
  { c: 'source', t: 'VARCHAR' }, { c: 'target', t: 'VARCHAR' }, { c: 'weight', t: 'FLOAT' }, { c: 'time', t: 'TIMESTAMP WITH TIME ZONE' },
])
await same('edges', "SELECT source, target, weight, epoch_ms(time)::BIGINT AS ms FROM 'edges.parquet'", [
  { source: 'ada', target: 'b "o"\nb', weight: 0.25, ms: '1709164800000' }, { source: 'ada', target: 'cyd', weight: 3, ms: '-1000' },
])
await same('vertices', "SELECT * FROM 'people.parquet'", [
  { vertex: 'ada', age: '41', score: 0.1, ok: true, note: null },
  { vertex: 'b "o"\nb', age: '-7', score: null, ok: false, note: '007' },
  { vertex: 'cyd', age: null, score: 1e300, ok: null, note: 'é|北京' },
])
await same('vectors', "SELECT vertex, id, array_length(vector::FLOAT[2]) AS n FROM 'e.parquet'", [
  { vertex: 'ada', id: '0', n: '2' }, { vertex: 'b "o"\nb', id: '1', n: '2' }, { vertex: 'cyd', id: '2', n: '2' },
])
await same('metadata', "SELECT decode(key) AS k, decode(value) AS v FROM parquet_kv_metadata('e.parquet') WHERE decode(key) IN ('heavytail.seed', 'heavytail.dim', 'heavytail.method') ORDER BY k", [
  { k: 'heavytail.dim', v: '2' }, { k: 'heavytail.method', v: 'laplacian_eigenmaps' }, { k: 'heavytail.seed', v: '7' },
])
await same('walks', `SELECT walk, len(vertices)::INTEGER AS n, list_count(list_filter(vertices, v -> v IN ('ada', 'b "o"\nb', 'cyd')))::INTEGER AS known FROM 'walks.parquet'`,
  ['0', '1', '2'].map((walk) => ({ walk, n: 3, known: 3 })))
await same('predictions', "SELECT * FROM 'links.parquet'", [
  { source: 'b "o"\nb', rank: '1', target: 'cyd', score: 1 }, { source: 'cyd', rank: '1', target: 'b "o"\nb', score: 1 },
])
await same('rows', "SELECT vertex, degree FROM 'rows.parquet'", [{ vertex: 'ada', degree: '2' }, { vertex: 'b "o"\nb', degree: '1' }, { vertex: 'cyd', degree: '1' }])

// From DuckDB to heavytail and back, in every codec that DuckDB writes and
// heavytail reads.
for (const codec of ['zstd', 'snappy', 'gzip', 'lz4_raw', 'uncompressed']) {
  for (const version of ['V1', 'V2']) {
    const how = `(FORMAT parquet, COMPRESSION ${codec}, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 5000)`
    await duck.run(`COPY (SELECT 'user ' || i % 700 AS "from", (i * 7919 % 12347 + 100000)::UINTEGER AS dest, (i % 97 + 1)::DOUBLE / 8 AS strength,
      CASE WHEN i % 3 > 0 THEN TIMESTAMP '2024-01-01' + INTERVAL (i) MINUTE END AS "at", [i, 2] AS extra FROM range(20000) t(i)) TO 'theirs.parquet' ${how}`)
    await duck.run(`COPY (SELECT 'user ' || i AS name, CASE WHEN i % 2 = 0 THEN i END AS n, i / 7 AS x, i % 3 = 0 AS b, CASE WHEN i % 5 > 0 THEN repeat('é', i % 9) END AS t,
      DATE '2000-01-01' + i::INTEGER AS born FROM range(700) t(i)) TO 'names.parquet' ${how}`)
    await duck.run(`COPY (SELECT 'user ' || i AS name, [sin(i), cos(i), i]::FLOAT[] AS vec FROM range(700) t(i)) TO 'vecs.parquet' ${how}`)
    for (const name of ['y.ht', 'back.parquet', 'names2.parquet', 'vecs2.parquet']) rmSync(name, { force: true })
    run(`IMPORT 'theirs.parquet' INTO h WITH (source := 'from', target := 'dest', weight := 'strength', time := 'at');
IMPORT VERTICES 'names.parquet' INTO h WITH (key := 'name');
IMPORT EMBEDDING 'vecs.parquet' INTO h AS v WITH (key := 'name', vector := 'vec', no_vector := 'zero');
EXPORT GRAPH h INTO FILE 'back.parquet'; EXPORT VERTICES OF h INTO FILE 'names2.parquet'; EXPORT EMBEDDING v INTO FILE 'vecs2.parquet'`, 'y.ht')
    const label = `${codec}, ${version}: `
    await same(label + 'edges', `WITH theirs AS (SELECT "from" AS s, dest::VARCHAR AS t, strength AS w, epoch_ms("at") AS ms FROM 'theirs.parquet'),
      ours AS (SELECT CASE WHEN source LIKE 'user%' THEN source ELSE target END AS s, CASE WHEN source LIKE 'user%' THEN target ELSE source END AS t,
        weight::DOUBLE AS w, epoch_ms("time") AS ms FROM 'back.parquet')
      SELECT count(*)::INTEGER AS n, count(*) FILTER (theirs.w = ours.w AND theirs.ms IS NOT DISTINCT FROM ours.ms)::INTEGER AS equal FROM theirs FULL JOIN ours USING (s, t)`,
      [{ n: pairs, equal: pairs }])
    await same(label + 'vertices', `SELECT count(*)::INTEGER AS n FROM 'names.parquet' a JOIN 'names2.parquet' b ON a.name = b.vertex
      WHERE a.n IS NOT DISTINCT FROM b.n AND a.x = b.x AND a.b = b.b AND a.t IS NOT DISTINCT FROM b.t AND a.born::VARCHAR = b.born`, [{ n: 700 }])
    await same(label + 'vectors', "SELECT count(*)::INTEGER AS n FROM 'vecs.parquet' a JOIN 'vecs2.parquet' b ON a.name = b.vertex WHERE a.vec = b.vector", [{ n: 700 }])
  }
}
if (failures === 0) console.log('Parquet: DuckDB reads what heavytail writes, and heavytail what DuckDB writes')
process.exit(failures > 0 ? 1 : 0)
