// DuckDB and polars read the folder of a plan with data, in the new folder shards: node shards.mjs HEAVYTAIL
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import pl from 'nodejs-polars'

const heavytail = process.argv[2]
const duck = await (await DuckDBInstance.create(':memory:')).connect()
let failures = 0
const run = (...args) => execFileSync(heavytail, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const ask = async (sql) => (await duck.runAndReadAll(sql)).getRowObjectsJson()
function same(what, got, want) {
  if (JSON.stringify(got) === JSON.stringify(want)) return
  failures++
  console.log(`${what}: ${JSON.stringify(got).slice(0, 400)} instead of ${JSON.stringify(want).slice(0, 400)}`)
}

mkdirSync('shards')
process.chdir('shards')
writeFileSync('edges.csv', 'source,target,weight,time\n' + [...Array(3000).keys()].map((i) => `v${(i * i) % 401},v${(i * 7) % 397},${(i % 9) + 1},${i % 3 ? 1.7e9 + i : ''}\n`).join(''))
writeFileSync('people.csv', 'key,id,key_2\n' + [...Array(401).keys()].map((i) => `v${i},${i % 4 ? i : ''},"é ${i}"\n`).join(''))
const pairs = 5000
await duck.run(`COPY (SELECT 'v' || (i * 3 % 401) AS source, 'v' || (i * 5 % 397) AS target, i AS n, printf('%03d', i % 50) AS code FROM range(${pairs}) t(i)) TO 'pairs.parquet' (FORMAT parquet)`)
run('exec', 'x.ht', '-c', `IMPORT 'edges.csv' INTO g; IMPORT VERTICES 'people.csv' INTO g; EMBED g USING fastrp(dim := 8, seed := 1) AS spec;
EXPORT GRAPH g INTO FILE 'edges.parquet'; EXPORT VERTICES OF g INTO FILE 'people.parquet'; EXPORT EMBEDDING spec INTO FILE 'spec.parquet';
SCORE FILE 'pairs.parquet' IN g WITH adamic_adar, cosine(spec) INTO FILE 'alone.parquet'`)
run('shard', 'plan', 'x.ht', '--statement', "SCORE FILE 'pairs.parquet' IN g WITH adamic_adar, cosine(spec) INTO FILE 'scores.parquet'", '--shards', '7', '--dir', 'D', '--data')
renameSync('x.ht', 'away.ht')
run('shard', 'run', '--dir', 'D', '--shard', '0-3')
run('shard', 'run', '--dir', 'D')
run('shard', 'merge', '--dir', 'D')
same('the merged file', readFileSync('scores.parquet').equals(readFileSync('alone.parquet')), true)

// The data have the same edges, vertices and vectors as the exports by keys.
const described = async (file) => (await ask(`SELECT column_name AS c, column_type AS t FROM (DESCRIBE FROM '${file}')`)).map((r) => `${r.c} ${r.t}`)
same('edges', await described('D/data/edges/*.parquet'), ['source UINTEGER', 'target UINTEGER', 'weight FLOAT', 'time BIGINT'])
same('vertices', await described('D/data/vertices/*.parquet'), ['id UINTEGER', 'key VARCHAR', 'id_2 BIGINT', 'key_2 VARCHAR'])
same('vectors', await described('D/data/vectors/spec/*.parquet'), ['id UINTEGER', 'vector FLOAT[]'])
const manifest = JSON.parse(readFileSync('D/manifest.json', 'utf8'))
for (const table of ['edges', 'vertices', 'vectors/spec']) {
  const rows = manifest.data.files.filter((f) => f.path.startsWith(table + '/')).reduce((n, f) => n + f.rows, 0)
  same(`rows of ${table}`, await ask(`SELECT count(*)::INTEGER AS n FROM 'D/data/${table}/*.parquet'`), [{ n: rows }])
}
const edges = `SELECT least(a.key, b.key) AS u, greatest(a.key, b.key) AS v, weight, "time" FROM 'D/data/edges/*.parquet' e
  JOIN 'D/data/vertices/*.parquet' a ON a.id = e.source JOIN 'D/data/vertices/*.parquet' b ON b.id = e.target`
const exported = `SELECT least(source, target) AS u, greatest(source, target) AS v, weight, "time" FROM 'edges.parquet'`
same('edges by keys', await ask(`SELECT count(*)::INTEGER AS n FROM (${edges} EXCEPT ${exported} UNION ALL (${exported} EXCEPT ${edges}))`), [{ n: 0 }])
same('attributes', await ask(`SELECT count(*)::INTEGER AS n FROM 'D/data/vertices/*.parquet' a JOIN 'people.parquet' b USING (key)
  WHERE a.key_2 IS NOT DISTINCT FROM b.key_2 AND a.id_2 IS NOT DISTINCT FROM b.id`), await ask("SELECT count(*)::INTEGER AS n FROM 'people.parquet'"))
same('vectors by keys', await ask(`SELECT count(*)::INTEGER AS n FROM 'D/data/vectors/spec/*.parquet' a JOIN 'D/data/vertices/*.parquet' v USING (id)
  JOIN 'spec.parquet' b ON b.key = v.key WHERE a.vector = b.vector`), await ask("SELECT count(*)::INTEGER AS n FROM 'spec.parquet'"))

// The parts are one table, without a merge, and have the rows of the undivided statement.
same('types of the parts', await described('D/parts/*.parquet'), await described('alone.parquet'))
same('rows of the parts', await ask(`SELECT count(*)::INTEGER AS n FROM (FROM 'D/parts/*.parquet' EXCEPT FROM 'alone.parquet') x`), [{ n: 0 }])
same('number of rows', await ask(`SELECT count(*)::INTEGER AS n, sum(n)::INTEGER AS s, count(DISTINCT code)::INTEGER AS c FROM 'D/parts/*.parquet'`), [{ n: pairs, s: (pairs * (pairs - 1)) / 2, c: 50 }])

// The statements of the manual.
const page = execFileSync(heavytail, ['manual', 'shards'], { encoding: 'utf8' })
const statements = page.split('```duckdb')[1].split('```')[0].split(';').filter((s) => s.trim())
same('statements of the manual', statements.length, 3)
for (const s of statements) same(`rows of ${s.trim()}`, (await ask(s)).length > 100, true)

// polars reads the same.
const count = (file, column) => pl.readParquet(file).getColumn(column).length
same('polars: edges', count('D/data/edges/00000.parquet', 'source'), manifest.data.files.find((f) => f.path === 'edges/00000.parquet').rows)
same('polars: vectors', pl.readParquet('D/data/vectors/spec/00000.parquet').getColumn('vector').toArray().every((v) => v.length === 8), true)
same('polars: parts', [...Array(7).keys()].reduce((n, i) => n + count(`D/parts/0000${i}.parquet`, 'adamic_adar'), 0), pairs)

if (failures === 0) console.log('Shards: DuckDB and polars read the data and the parts of a plan')
process.exit(failures > 0 ? 1 : 0)
