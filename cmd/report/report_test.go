package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/measures"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// opened creates a file with a script and opens it for reading.
func opened(t *testing.T, script string, workers int) *query.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range strings.Split(script, ";\n") {
		if statement == "" {
			continue
		}
		rows, err := db.Query(t.Context(), statement, nil)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = query.Open(path, &query.Options{ReadOnly: true, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// small is a script for a file with a little of everything that the page shows.
const small = `GENERATE preferential_attachment(n := 120, m := 4, seed := 1) INTO pa;
UPDATE VERTICES IN pa SET side := 'left' WHERE degree > 9;
UPDATE VERTICES IN pa SET age := 30.5 WHERE degree < 6;
COMPUTE pagerank IN pa AS pr;
EMBED pa USING dp_spectral(dim := 8) AS spec;
EMBED pa USING fastrp(dim := 8) AS rp;
TRAIN MODEL friends IN pa USING spec;
CREATE INDEX ON spec;
INSERT EDGE ('0', '119') INTO pa;
CREATE GRAPH bare;
INSERT VERTEX 'a', 'b' INTO bare`

// written returns the page of a file.
func written(t *testing.T, db *query.DB, opts Options) []byte {
	t.Helper()
	var page bytes.Buffer
	if err := Write(t.Context(), db, &page, opts); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// readTable is a table that was read back from a page: cells with all digits.
type readTable struct {
	columns []string
	rows    map[string][]string // by the head of the row
}

// parsed reads a page as XML, since the page is also valid XML. It returns the texts, and
// the tables by caption. If several tables have the same caption, the number of the table
// is appended from the second on.
func parsed(t *testing.T, page []byte) (texts string, tables map[string]readTable) {
	t.Helper()
	tables = map[string]readTable{}
	var all, cell strings.Builder
	var now readTable
	var caption, head, exact, where string
	var row []string
	for decoder := xml.NewDecoder(bytes.NewReader(page)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all.String(), tables
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "script", "iframe", "object":
				t.Errorf("the page has the element %s", e.Name.Local)
			case "table":
				now, caption = readTable{rows: map[string][]string{}}, ""
			case "tr":
				row, head = nil, ""
			case "th", "td", "caption":
				exact, where = "", e.Name.Local
				cell.Reset()
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") && a.Value != "data:," {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
				if e.Name.Local == "data" && a.Name.Local == "value" {
					exact = a.Value
				}
				if e.Name.Local == "th" && a.Name.Local == "scope" {
					where = a.Value
				}
			}
		case xml.EndElement:
			text := cell.String()
			if exact != "" {
				text = exact
			}
			switch e.Name.Local {
			case "caption":
				caption, where = text, ""
			case "th", "td":
				switch where {
				case "col":
					now.columns = append(now.columns, text)
				case "row":
					head = text
				default:
					row = append(row, text)
				}
				where, exact = "", ""
			case "tr":
				if head != "" || row != nil {
					now.rows[head] = row
				}
			case "table":
				name := caption
				for i := 2; tables[name].rows != nil; i++ {
					name = caption + " " + strconv.Itoa(i)
				}
				tables[name] = now
			}
		case xml.CharData:
			all.Write(e)
			cell.Write(e)
		}
	}
}

// figure is a number in a table.
func (r readTable) figure(t *testing.T, row, column string) float64 {
	t.Helper()
	i := slices.Index(r.columns, column) - 1
	if i < 0 || len(r.rows[row]) <= i {
		t.Fatalf("no column %q of row %q in %v, %v", column, row, r.columns, r.rows)
	}
	x, err := strconv.ParseFloat(r.rows[row][i], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Every figure that is read from the page equals that of the statement, with all digits.
func TestWrite_Figures(t *testing.T) {
	t.Parallel()
	db := opened(t, small, 0)
	texts, tables := parsed(t, written(t, db, Options{Graphs: []string{"pa"}, Using: []string{"fastrp(dim := 4)"}, Bootstrap: 10, Seed: 3}))

	rows, err := db.Query(t.Context(), "DESCRIBE GRAPH pa WITH (bootstrap := 10, seed := 3)", nil)
	if err != nil {
		t.Fatal(err)
	}
	card := tables["All figures of the graph"]
	for rows.Next() {
		property, value := rows.Row()[0].(string), rows.Row()[1]
		if got, want := card.rows[property], cellOf(value); len(got) != 1 || got[0] != want.Exact && got[0] != want.Text {
			t.Errorf("%s is %v, want %v", property, got, value)
		}
	}
	reconstructed := tables["Best reconstruction of each embedding: P, S and K are the correlations of the degrees by Pearson, Spearman and Kendall, KS the distance of the degrees from their power law, H3 the harmonic mean of P, S and F1. The null has the same lengths of vectors in random directions: P and S that are no higher than those of the null are due to the lengths"]
	for _, e := range []string{"spec", "rp"} {
		r, err := db.Vectors().EvaluateReconstruction(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: e})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Points[r.Best]
		for column, want := range map[string]float64{
			"ε": p.Epsilon, "edges": float64(p.Edges), "precision": p.Precision, "recall": p.Recall, "F1": p.F1,
			"P": p.Pearson, "S": p.Spearman, "K": p.Kendall, "KS": p.KS(), "H3": p.H3,
			"null P": r.Null.Pearson, "null S": r.Null.Spearman, "null H3": r.Null.H3,
		} {
			if got := reconstructed.figure(t, e, column); !same(got, want) {
				t.Errorf("%s of %s is %v, want %v", column, e, got, want)
			}
		}
	}
	req := studies.EvaluateLinksRequest{
		Graph: "pa", Methods: []studies.LinkMethod{{Method: "fastrp", Settings: map[string]any{"dim": 4}}}, Seed: 3, Null: true,
		Negatives: []evaluate.Negatives{evaluate.RandomNegatives, evaluate.DegreeNegatives},
	}
	links, err := db.Studies().EvaluateLinks(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range links.Scores {
		scored := tables["Scorers by AUC, against "+pairsOf(s.Negatives)]
		name := s.Scorer
		if s.Learned {
			name = "logistic(" + name + ")"
		}
		if s.Method >= 0 {
			name += " of " + links.Methods[s.Method]
		}
		for column, want := range map[string]float64{"AUC": s.AUC, "AUC of the random graph": s.NullAUC, "average precision": s.AveragePrecision, "F1": s.F1, "hits at 100": s.Hits} {
			if got := scored.figure(t, name, column); !same(got, want) {
				t.Errorf("%s of %s is %v, want %v", column, name, got, want)
			}
		}
	}
	req.Negatives, req.RankAt = nil, evaluate.DefaultRankAt
	if links, err = db.Studies().EvaluateLinks(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	for _, s := range links.Rankings[:3] {
		for column, want := range map[string]float64{"MAP": s.MAP.Mean, "MAP of the random graph": s.NullMAP, "recall": s.Recall.Mean} {
			if got := tables["Recommendations by mean average precision (MAP)"].figure(t, s.Scorer, column); !same(got, want) {
				t.Errorf("%s of %s is %v, want %v", column, s.Scorer, got, want)
			}
		}
	}
	models, err := db.Links().Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := tables["Models, measured on pairs that were hidden from them"].figure(t, "friends", "Brier"); got != models[0].Brier {
		t.Errorf("Brier is %v, want %v", got, models[0].Brier)
	}
	ranks, err := db.Measures().Compute(t.Context(), measures.ComputeRequest{Graph: "pa", Measure: "pagerank"})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range ranks.Vertices {
		if top := tables["The vertices with most edges"]; top.rows[v.Key] != nil && v.Value.String() != strconv.FormatFloat(top.figure(t, v.Key, "PageRank"), 'g', -1, 64) {
			t.Errorf("PageRank of %s is %v, want %v", v.Key, top.figure(t, v.Key, "PageRank"), v.Value)
		}
	}
	if got := tables["Attributes"].figure(t, "pr", "mean"); !(math.Abs(got-1.0/120) < 1e-12) {
		t.Errorf("the mean PageRank is %v", got)
	}
	for _, want := range []string{"1 version behind, 2 vertices changed", "index", "DESCRIBE GRAPH pa WITH (bootstrap := 10, seed := 3)", "Calibration", "Values of side"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The page of a file has the same bytes each time, with any number of workers. It has only
// the graphs that were asked for, without the parts to skip.
func TestWrite_Same(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: writes a report three times")
	}
	t.Parallel()
	one := opened(t, small, 1)
	first := written(t, one, Options{Title: "x"})
	if !bytes.Equal(first, written(t, one, Options{Title: "x"})) {
		t.Error("two pages of one file differ")
	}
	three, err := query.Open(one.Path(), &query.Options{ReadOnly: true, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer three.Close()
	if !bytes.Equal(first, written(t, three, Options{Title: "x"})) {
		t.Error("the page depends on the number of workers")
	}
	texts, _ := parsed(t, first)
	for _, want := range []string{"bare", "Not shown: the graph has no edges"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	texts, _ = parsed(t, written(t, one, Options{Graphs: []string{"bare"}, Skip: []Part{Links, Degrees}, Date: "2026-01-02"}))
	if strings.Contains(texts, "pa\n") || strings.Contains(texts, "Prediction of links") || !strings.Contains(texts, "heavytail report of 2026-01-02") {
		t.Errorf("the page is %s", texts)
	}
}

// Nothing in a file is markup: texts of keys, names, attributes and titles are shown as
// they are.
func TestWrite_Escaped(t *testing.T) {
	t.Parallel()
	const evil = `</title><script>alert(1)</script><img src=x onerror=alert(2)> & "q"`
	name := `"g<script>"`
	db := opened(t, `CREATE GRAPH `+name+`;
INSERT VERTEX '`+evil+`' ("a<b>" := '`+evil+`') INTO `+name+`;
INSERT EDGE ('`+evil+`', 'b'), ('b', 'c'), ('c', '`+evil+`') INTO `+name+`;
EMBED `+name+` USING fastrp(dim := 2) AS "e<script>"`, 0)
	page := written(t, db, Options{Title: evil, Date: "<b>"})
	if bytes.Contains(page, []byte("<script")) || bytes.Contains(page, []byte("<img")) {
		t.Error("the page has markup of the file")
	}
	texts, _ := parsed(t, page)
	if n := strings.Count(texts, evil); n < 5 {
		t.Errorf("the text of the file is %d times in the page", n)
	}
}

func TestWrite_Errors(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	db := opened(t, "CREATE GRAPH social", 0)
	if err := Write(t.Context(), db, &page, Options{Graphs: []string{"sozial"}}); err == nil || !strings.Contains(err.Error(), `did you mean "social"?`) {
		t.Errorf("unknown graph: %v", err)
	}
	if err := Write(t.Context(), db, &page, Options{Using: []string{"spectral("}}); err == nil {
		t.Error("no error for a method that is none")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ctx, db, &page, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if page.Len() > 0 {
		t.Errorf("%d bytes were written", page.Len())
	}
	if err := Write(t.Context(), opened(t, "", 0), &page, Options{}); !errors.Is(err, ErrNoGraphs) {
		t.Errorf("a file without graphs: %v", err)
	}
	parsed(t, written(t, db, Options{})) // an empty graph
}

// Every statement that a page prints runs on the file of the page.
func TestWrite_Statements(t *testing.T) {
	t.Parallel()
	db := opened(t, small, 1)
	printed := 0
	for _, match := range regexp.MustCompile(`(?s)<p class="statement">[^<]*<code>(.*?)</code>`).FindAllStringSubmatch(string(written(t, db, Options{})), -1) {
		for _, text := range strings.Split(html.UnescapeString(match[1]), "; ") {
			printed++
			rows, err := db.Query(t.Context(), text, nil)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			for rows.Next() {
			}
			if err := rows.Err(); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	if printed < 8 {
		t.Errorf("%d statements", printed)
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0", 1: "1.000", 0.0123456: "0.01235", 0.5: "0.5000", 43.6891: "43.69", 999.96: "1,000", 12345.6: "12,346", -1234567: "−1,234,567",
		0.00001: "1.000e−05", 0.1: "0.1000", 0.09999: "0.09999", math.Inf(1): "∞", math.Inf(-1): "-∞",
	} {
		if got := short(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

func TestGroupedWords(t *testing.T) {
	for text, want := range map[string]string{
		"3454 edges held out and 27628 pairs, of 1000000.": "3,454 edges held out and 27,628 pairs, of 1,000,000.",
		"vertex '10007' and 'a 2000 b' of 12 in 0.12345 s": "vertex '10007' and 'a 2000 b' of 12 in 0.12345 s",
		"job 12345 from version 2000 to \"1000\", 007007":  "job 12345 from version 2000 to \"1000\", 007007",
		"": "",
	} {
		if got := groupedWords(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}
