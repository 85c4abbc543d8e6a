package transform

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"heavytail/cmd/heavytail-beam/internal/statement"
	"heavytail/query"
	"heavytail/query/catalogue"
	_ "heavytail/storage/format/arrow"
	_ "heavytail/storage/format/parquet"
)

// Pipelines run on prism, in this process: elements are encoded, bundled and decoded as
// for workers elsewhere.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // errors are those that the pipelines return
	os.Exit(ptest.MainRetWithDefault(m, "prism"))
}

// fixture is a file with a graph, an embedding and pairs, some of which name vertices
// that do not exist.
type fixture struct {
	folder, file, pairs string
	db                  *query.DB
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	folder := t.TempDir()
	f := fixture{folder: folder, file: filepath.Join(folder, "g.ht"), pairs: filepath.Join(folder, "pairs.csv")}
	db, err := query.Open(f.file, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeStores(); err != nil {
			t.Error(err)
		}
	})
	statement.Run(t, db, "GENERATE preferential_attachment(n := 300, m := 4, seed := 1) INTO g")
	statement.Run(t, db, "CREATE GRAPH h AS COMPONENT OF g") // whose keys have no white space
	statement.Run(t, db, `INSERT EDGE ('a "quoted", key', '0'), ('two
lines', '1') INTO g`)
	statement.Run(t, db, "EMBED g USING dp_spectral(dim := 8) AS spec")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	out.Write([]string{"source", "target"})
	keys := []string{"a \"quoted\", key", "two\nlines", "nobody"}
	for i := range 300 {
		keys = append(keys, strconv.Itoa(i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 9000 { // more than two batches
		out.Write([]string{keys[random.IntN(len(keys))], keys[random.IntN(len(keys))]})
	}
	out.Flush()
	writeFile(t, f.pairs, text.String())
	if f.db, err = query.Open(f.file, &query.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	return f
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// records reads rows of CSV without their header, in order.
func records(t *testing.T, text string) [][]string {
	t.Helper()
	list, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	list = list[1:]
	slices.SortFunc(list, slices.Compare)
	return list
}

// The parts of ranges, one after the other, are the file of the statement, and parts that exist
// are kept.
func TestRanges_SameBytes(t *testing.T) {
	f := newFixture(t)
	for name, statements := range rangedStatements(f) {
		alone := filepath.Join(f.folder, name)
		statement.Run(t, f.db, fmt.Sprintf(statements[0], alone))
		want := readFile(t, alone)
		for _, ranges := range []int{1, 7} {
			t.Run(fmt.Sprintf("%s/%d", name, ranges), func(t *testing.T) {
				opts := RangesOptions{File: f.file, Statement: statements[1], Ranges: ranges, Rows: 50, Out: filepath.Join(t.TempDir(), name)}
				if err := opts.Validate(); err != nil {
					t.Fatal(err)
				}
				ran := int64(ranges)
				for _, counters := range []map[string]int64{{"ranges": ran, "ranges_done_before": 0}, {"ranges": 0, "ranges_done_before": ran}} {
					result := ptest.BuildAndRun(t, func(s beam.Scope) { Ranges(s, opts) })
					for name, want := range counters {
						if got := counter(result, name); got != want {
							t.Errorf("counter %s is %d, expected %d", name, got, want)
						}
					}
				}
				got := ""
				for _, name := range FileNames(opts.Out, ranges) {
					got += readFile(t, name)
				}
				if got != want {
					t.Error("the parts differ from the file of the statement")
				}
			})
		}
	}
}

// rangedStatements are statements of the fixture, by the names of their files: without and with
// the parameters of a range.
func rangedStatements(f fixture) map[string][2]string {
	const (
		some    = " WITH (first := $first, count := $count)"
		nearest = "NEAREST 3 FOR ALL USING cosine(spec)"
		predict = "PREDICT 2 LINKS FOR ALL IN g WITH jaccard"
	)
	score := "SCORE FILE '" + f.pairs + "' WITH jaccard, cosine(spec) INTO FILE "
	return map[string][2]string{
		"nearest.csv": {nearest + " INTO FILE '%s'", nearest + some + " INTO FILE $file"},
		"predict.csv": {predict + " INTO FILE '%s'", predict + some + " INTO FILE $file"},
		"score.csv":   {score + "'%s'", score + "$file" + some},
		"walks.txt": {
			"EXPORT WALKS OF h USING deepwalk(walks := 2) INTO FILE '%s'",
			"EXPORT WALKS OF h USING deepwalk(walks := 2) INTO FILE $file WITH (first := $first, count := $count)",
		},
	}
}

func TestRanges_Wrong(t *testing.T) {
	f := newFixture(t)
	opts := RangesOptions{File: f.file, Statement: "EXPORT WALKS OF gg USING deepwalk INTO FILE $file WITH (first := $first, count := $count)", Ranges: 2, Rows: 5, Out: filepath.Join(f.folder, "x.txt")}
	p, s := beam.NewPipelineWithRoot()
	Ranges(s, opts)
	if err := ptest.Run(p); err == nil || !strings.Contains(err.Error(), "gg") {
		t.Errorf("error %v, expected one about gg", err)
	}
	if found, err := filepath.Glob(filepath.Join(f.folder, "x*")); err != nil || len(found) > 0 {
		t.Errorf("a pipeline that failed has left %q, %v", found, err)
	}
	for _, change := range []func(*RangesOptions){
		func(o *RangesOptions) { o.Statement = "EXPORT WALKS" },
		func(o *RangesOptions) {
			o.Statement = "EXPORT WALKS OF g USING deepwalk INTO FILE $file WITH (first := $first)"
		},
		func(o *RangesOptions) { o.Ranges = 0 },
		func(o *RangesOptions) { o.Rows = 0 },
	} {
		wrong := opts
		if change(&wrong); wrong.Validate() == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}

func TestScore_SameRows(t *testing.T) {
	f := newFixture(t)
	with := []catalogue.Scorer{{Name: "jaccard"}, {Name: "cosine", Embedding: "spec"}}
	alone := filepath.Join(f.folder, "alone.csv")
	statement.Run(t, f.db, "SCORE FILE '"+f.pairs+"' WITH jaccard, cosine(spec) INTO FILE '"+alone+"'")
	want := records(t, readFile(t, alone))
	parquet := filepath.Join(f.folder, "pairs.parquet")
	statement.Run(t, f.db, "SCORE FILE '"+f.pairs+"' IN g WITH jaccard INTO FILE '"+parquet+"'")
	for _, input := range []string{f.pairs, parquet} {
		for _, files := range []int{1, 3} {
			out := filepath.Join(t.TempDir(), "scores.csv")
			result := ptest.BuildAndRun(t, func(s beam.Scope) {
				WriteCSV(s, Score(s, ReadPairs(s, input), ScoreOptions{File: f.file, With: with}), with, out, files)
			})
			var got [][]string
			for _, name := range FileNames(out, files) {
				got = append(got, records(t, readFile(t, name))...)
			}
			slices.SortFunc(got, slices.Compare)
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s, %d files: the rows differ from those of SCORE FILE", input, files)
			}
			if n := counter(result, "pairs"); n != int64(len(want)) {
				t.Errorf("counter pairs %d, expected %d", n, len(want))
			}
			if counter(result, "missing_pairs") == 0 {
				t.Error("counter missing_pairs is 0, but some vertices do not exist")
			}
		}
	}
}

// The store, the pairs and the scores lie in a file system of Beam.
func TestScore_Fetched(t *testing.T) {
	f := newFixture(t)
	fs, err := filesystem.New(t.Context(), "memfs://x")
	if err != nil {
		t.Fatal(err)
	}
	for name, local := range map[string]string{"memfs://g.ht": f.file, "memfs://pairs.csv": f.pairs} {
		if err := filesystem.Write(t.Context(), fs, name, []byte(readFile(t, local))); err != nil {
			t.Fatal(err)
		}
	}
	with := []catalogue.Scorer{{Name: "adamic_adar"}}
	ptest.BuildAndRun(t, func(s beam.Scope) {
		scored := Score(s, ReadPairs(s, "memfs://pairs.csv"), ScoreOptions{File: "memfs://g.ht", Graph: "g", With: with})
		WriteCSV(s, scored, with, "memfs://scores.csv", 1)
	})
	alone := filepath.Join(f.folder, "alone.csv")
	statement.Run(t, f.db, "SCORE FILE '"+f.pairs+"' IN g WITH adamic_adar INTO FILE '"+alone+"'")
	got, err := filesystem.Read(t.Context(), fs, "memfs://scores.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(records(t, string(got)), records(t, readFile(t, alone)), slices.Equal) {
		t.Error("the rows differ from those of SCORE FILE")
	}
}

func TestTop(t *testing.T) {
	f := newFixture(t)
	for _, by := range []catalogue.Scorer{{Name: "jaccard"}, {Name: "l2", Embedding: "spec"}} {
		alone := filepath.Join(f.folder, by.Name+".csv")
		statement.Run(t, f.db, "SCORE FILE '"+f.pairs+"' IN g WITH "+by.String()+" INTO FILE '"+alone+"'")
		sources := map[string][][]string{}
		for _, r := range records(t, readFile(t, alone)) {
			if r[2] != "" {
				sources[r[0]] = append(sources[r[0]], r)
			}
		}
		var want [][]string
		for _, list := range sources {
			slices.SortFunc(list, func(a, b []string) int {
				x, _ := strconv.ParseFloat(a[2], 64)
				y, _ := strconv.ParseFloat(b[2], 64)
				if by.Name != "l2" {
					x, y = y, x
				}
				return cmp.Or(cmp.Compare(x, y), strings.Compare(a[1], b[1]))
			})
			want = append(want, list[:min(2, len(list))]...)
		}
		slices.SortFunc(want, slices.Compare)
		out := filepath.Join(t.TempDir(), "top.csv")
		ptest.BuildAndRun(t, func(s beam.Scope) {
			scored := Score(s, ReadPairs(s, f.pairs), ScoreOptions{File: f.file, Graph: "g", With: []catalogue.Scorer{by}})
			WriteCSV(s, Top(s, scored, 2, by), []catalogue.Scorer{by}, out, 1)
		})
		if got := records(t, readFile(t, out)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("by %s: the rows are not the two likeliest of each source", by)
		}
	}
}

func TestScore_Wrong(t *testing.T) {
	f := newFixture(t)
	for _, test := range []struct {
		opts ScoreOptions
		want string
	}{
		{ScoreOptions{File: f.file, Graph: "g", With: []catalogue.Scorer{{Name: "jacard"}}}, "jacard"},
		{ScoreOptions{File: f.file + "x", Graph: "g", With: []catalogue.Scorer{{Name: "jaccard"}}}, "g.htx"},
	} {
		p, s := beam.NewPipelineWithRoot()
		WriteCSV(s, Score(s, ReadPairs(s, f.pairs), test.opts), test.opts.With, filepath.Join(f.folder, "none.csv"), 1)
		if err := ptest.Run(p); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, expected one about %s", err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(f.folder, "none.csv")); err == nil {
		t.Error("a pipeline that failed has written its file")
	}
}

// counter returns the value of a counter of heavytail.
func counter(result beam.PipelineResult, name string) (sum int64) {
	for _, c := range result.Metrics().Query(func(r beam.MetricResult) bool { return r.Namespace() == namespace && r.Name() == name }).Counters() {
		sum += c.Result()
	}
	return sum
}
