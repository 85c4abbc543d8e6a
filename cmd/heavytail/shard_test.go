package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShard plans, runs and merges, and makes mistakes on the way.
func TestShard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder, out, alone := filepath.Join(dir, "g.ht"), filepath.Join(dir, "D"), filepath.Join(dir, "near.csv"), filepath.Join(dir, "alone.csv")
	mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g; EMBED g USING dp_spectral(dim := 4) AS e")
	statement := "NEAREST 2 FOR ALL USING e INTO FILE '" + out + "'"
	mustFail(t, exitFailed, []string{"manifest.json"}, "shard", "status", "--dir", folder)
	mustFail(t, exitUsage, []string{"statement"}, "shard", "plan", file, "--shards", "3", "--dir", folder)
	mustFail(t, exitFailed, []string{"1 to"}, "shard", "plan", file, "--shards", "0", "--dir", folder, "--statement", statement)
	if got, want := mustRun(t, "", "shard", "plan", file, "--shards", "3", "--dir", folder, "--statement", statement), "planned 3 shards of 50 rows\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	for _, wrong := range []string{"3", "-1", "1/4", "x", "0/3/3", "1-3", "2-1", "0-", "-"} {
		mustFail(t, exitUsage, []string{"--shard is", "0 to 2"}, "shard", "run", file, "--dir", folder, "--shard", wrong)
	}
	mustRun(t, "", "shard", "run", file, "--dir", folder, "--shard", "1/3")
	if got := mustRun(t, "", "shard", "status", "--dir", folder); !strings.Contains(got, "1 of 3 shards done, 17 of 50 rows") || !strings.Contains(got, "missing: 0, 2\n") {
		t.Errorf("status %q", got)
	}
	mustFail(t, exitFailed, []string{"2 of 3 shards: 0, 2", "missing"}, "shard", "merge", "--dir", folder)
	mustRun(t, "", "shard", "run", file, "--dir", folder, "--shard", "0-1/3")
	if got := mustRun(t, "", "shard", "status", "--dir", folder); !strings.Contains(got, "missing: 2\n") {
		t.Errorf("status %q", got)
	}
	mustRun(t, "", "shard", "run", file, "--dir", folder)
	mustRun(t, "", "shard", "merge", "--dir", folder)
	mustRun(t, "", "exec", file, "-c", "NEAREST 2 FOR ALL USING e INTO FILE '"+alone+"'")
	if string(mustRead(t, out)) != string(mustRead(t, alone)) {
		t.Error("the shards wrote other bytes than the statement alone")
	}
	mustFail(t, exitFailed, []string{"exists"}, "shard", "merge", "--dir", folder)
	mustRun(t, "", "shard", "merge", "--dir", folder, "--overwrite")

	// A graph that has changed since the plan was made is refused.
	mustRun(t, "", "shard", "merge", file, "--dir", folder, "--overwrite")
	mustRun(t, "", "exec", file, "-c", "INSERT EDGE ('0', 'new') INTO g")
	mustFail(t, exitFailed, []string{"graph g is not version 1"}, "shard", "merge", file, "--dir", folder, "--overwrite")
	mustFail(t, exitUsage, []string{"at most one FILE"}, "shard", "merge", file, file, "--dir", folder)
	if err := os.Remove(filepath.Join(folder, "parts", "00000.json")); err != nil {
		t.Fatal(err)
	}
	mustFail(t, exitFailed, []string{"shard 0: graph g is not version 1"}, "shard", "run", file, "--dir", folder)
}

// TestShard_Data runs shards without the heavytail file.
func TestShard_Data(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder, cache := filepath.Join(dir, "g.ht"), filepath.Join(dir, "D"), filepath.Join(dir, "cache")
	out, alone := filepath.Join(dir, "walks.txt"), filepath.Join(dir, "alone.txt")
	mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g; EXPORT WALKS OF g USING deepwalk INTO FILE '"+alone+"'")
	statement := "EXPORT WALKS OF g USING deepwalk INTO FILE '" + out + "'"
	bare := filepath.Join(dir, "bare")
	mustRun(t, "", "shard", "plan", file, "--shards", "3", "--dir", bare, "--statement", statement)
	mustFail(t, exitFailed, []string{"the plan has no data", "name the heavytail file"}, "shard", "run", "--dir", bare)
	mustRun(t, "", "shard", "plan", file, "--shards", "3", "--dir", folder, "--statement", statement, "--data")
	mustFail(t, exitUsage, []string{"--cache"}, "shard", "run", file, "--dir", folder, "--cache", cache)
	mustFail(t, exitUsage, []string{"at most one FILE"}, "shard", "run", file, file, "--dir", folder)
	if err := errors.Join(os.Remove(file), os.Mkdir(cache, 0o700)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "", "shard", "run", "--dir", folder, "--shard", "0")
	for _, shard := range []string{"1", "2"} { // the second one finds the file of the first
		mustRun(t, "", "shard", "run", "--dir", folder, "--shard", shard, "--cache", cache)
	}
	if kept, err := os.ReadDir(cache); err != nil || len(kept) != 1 {
		t.Errorf("the cache has %v, %v", kept, err)
	}
	mustRun(t, "", "shard", "merge", "--dir", folder)
	if string(mustRead(t, out)) != string(mustRead(t, alone)) {
		t.Error("the shards wrote other bytes than the statement alone")
	}
	edges := filepath.Join(folder, "data", "edges", "00000.parquet")
	if err := os.Remove(edges); err != nil {
		t.Fatal(err)
	}
	mustFail(t, exitFailed, []string{edges, "plan again"}, "shard", "run", "--dir", folder)
}

// runThreeShards plans and runs a statement whose results go into the file. A merge before
// the run, or without the file, fails.
func runThreeShards(t *testing.T, file, folder, statement, count, unit string) {
	t.Helper()
	if got, want := mustRun(t, "", "shard", "plan", file, "--shards", "3", "--dir", folder, "--statement", statement), "planned 3 shards of "+count+" "+unit+"\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	mustFail(t, exitFailed, []string{"3 of 3 shards: 0-2"}, "shard", "merge", file, "--dir", folder)
	mustRun(t, "", "shard", "run", file, "--dir", folder)
	if got := mustRun(t, "", "shard", "status", "--dir", folder); !strings.Contains(got, "3 of 3 shards done, "+count+" of "+count+" "+unit) {
		t.Errorf("status %q", got)
	}
	mustFail(t, exitUsage, []string{"FILE is missing"}, "shard", "merge", "--dir", folder)
}

// TestShard_Predictions plans, runs and merges predictions, and makes mistakes on the way.
func TestShard_Predictions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, alone, folder := filepath.Join(dir, "g.ht"), filepath.Join(dir, "alone.ht"), filepath.Join(dir, "D")
	const statement = "MATERIALIZE PREDICTIONS FROM adamic_adar IN g WITH (top := 3)"
	mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g")
	if err := os.WriteFile(alone, mustRead(t, file), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "", "exec", alone, "-c", statement)
	runThreeShards(t, file, folder, statement, "50", "rows")
	mustFail(t, exitUsage, []string{"--out"}, "shard", "merge", file, "--dir", folder, "--out", filepath.Join(dir, "x"))
	mustFail(t, exitFailed, []string{"none.ht"}, "shard", "merge", filepath.Join(dir, "none.ht"), "--dir", folder)
	mustRun(t, "", "shard", "merge", file, "--dir", folder)
	const answer = "PREDICT 3 LINKS FOR '7' IN g; PREDICT 3 LINKS FOR '0' IN g"
	if got, want := mustRun(t, "", "exec", file, "-c", answer), mustRun(t, "", "exec", alone, "-c", answer); got != want || !strings.Contains(got, "3 rows") {
		t.Errorf("%s, expected %s", got, want)
	}
}

// TestShard_Trials prints the table of an evaluation as exec does, in every format, and makes
// mistakes on the way.
func TestShard_Trials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "g.ht"), filepath.Join(dir, "D")
	const statement = "EVALUATE LINKS IN g USING fastrp(dim := 4) WITH (splits := 2, scorers := 'l3, cosine', training := 50)"
	mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 50, m := 2, seed := 1) INTO g")
	runThreeShards(t, file, folder, statement, "4", "trials")
	mustFail(t, exitUsage, []string{"INTO FILE"}, "shard", "merge", file, "--dir", folder, "--overwrite")
	mustFail(t, exitUsage, []string{"format"}, "shard", "merge", file, "--dir", folder, "--format", "none")
	for _, format := range []string{"table", "json", "csv"} {
		got, want := mustRun(t, "", "shard", "merge", file, "--dir", folder, "--format", format), mustRun(t, "", "exec", file, "--format", format, "-c", statement)
		if got != want || !strings.Contains(got, "average_precision_deviation") {
			t.Errorf("%s: %s, expected %s", format, got, want)
		}
	}
	data := filepath.Join(dir, "data")
	mustRun(t, "", "shard", "plan", file, "--shards", "2", "--dir", data, "--statement", statement, "--data")
	mustRun(t, "", "shard", "run", "--dir", data)
	if got, want := mustRun(t, "", "shard", "merge", "--dir", data), mustRun(t, "", "exec", file, "-c", statement); got != want {
		t.Errorf("without the file: %s, expected %s", got, want)
	}
	walks := filepath.Join(dir, "W")
	mustRun(t, "", "shard", "plan", file, "--shards", "1", "--dir", walks, "--statement", "EXPORT WALKS OF g USING deepwalk INTO FILE '"+filepath.Join(dir, "w.txt")+"'")
	mustFail(t, exitUsage, []string{"--format"}, "shard", "merge", file, "--dir", walks, "--format", "json")
}
