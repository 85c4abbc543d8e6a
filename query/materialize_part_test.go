package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/links"
	"heavytail/query/parser"
	"heavytail/storage"
)

// partsOf computes the parts of a request that end at the given vertices.
func partsOf(t *testing.T, db *DB, req links.MaterializeRequest, ends []int64) [][]byte {
	t.Helper()
	var parts [][]byte
	first := int64(0)
	for _, end := range ends {
		path := filepath.Join(t.TempDir(), "part")
		r, err := db.Links().MaterializePart(context.Background(), links.MaterializePartRequest{MaterializeRequest: req, First: first, Count: end - first, Path: path})
		if err != nil || r.Rows != end-first {
			t.Fatal(r, err)
		}
		part, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts, first = append(parts, part), end
	}
	return parts
}

// closing is a part whose Close returns an error.
type closing struct {
	io.Reader
	err error
}

func (c closing) Close() error { return c.err }

func opened(parts ...[]byte) (list []func() (io.ReadCloser, error)) {
	for _, p := range parts {
		list = append(list, func() (io.ReadCloser, error) { return closing{bytes.NewReader(p), nil}, nil })
	}
	return list
}

// Parts that do not fit together or were changed store nothing.
func TestMaterializeParts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 60, m := 3, seed := 5) INTO g")
	req := links.MaterializeRequest{Graph: "g", With: catalogue.Scorer{Name: "adamic_adar"}, K: 6}
	parts := partsOf(t, db, req, []int64{20, 20, 60})
	refused := func(what string, want error, list []func() (io.ReadCloser, error)) {
		t.Helper()
		if _, err := db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: req, Parts: list}); !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
		if stored, err := db.Links().Predictions(ctx); err != nil || len(stored) > 0 {
			t.Fatalf("%s: %v, %v", what, stored, err)
		}
	}
	a, b, c := parts[0], parts[1], parts[2]
	refused("none", storage.ErrInvalid, nil)
	refused("out of order", storage.ErrInvalid, opened(c, b, a))
	refused("one missing", storage.ErrInvalid, opened(a, b))
	refused("one twice", storage.ErrInvalid, opened(a, a, c))
	refused("one more", storage.ErrInvalid, opened(a, b, c, b))
	refused("a byte more", storage.ErrInvalid, opened(a, append(slices.Clone(b), 0), c))
	for cut := range len(a) {
		if cut%7 == 0 || cut < 100 || cut == len(a)-1 {
			refused(fmt.Sprintf("cut off at %d", cut), storage.ErrInvalid, opened(a[:cut], b, c))
		}
	}
	for at := range magic + 8*8 { // every byte of the header counts
		wrong := slices.Clone(c)
		wrong[at] ^= 0x40
		refused(fmt.Sprintf("byte %d", at), storage.ErrInvalid, opened(a, b, wrong))
	}
	wrong := slices.Clone(a)
	copy(wrong[magic+8*8+1:], "\xff\xff\xff\xff") // the first vertex of a link
	refused("a vertex that is not there", storage.ErrInvalid, opened(wrong, b, c))
	failed := errors.New("cannot be opened")
	refused("open", failed, append(opened(a), func() (io.ReadCloser, error) { return nil, failed }))
	refused("close", failed, append(opened(a, b), func() (io.ReadCloser, error) { return closing{bytes.NewReader(c), failed}, nil }))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Links().MaterializeParts(ended, links.MaterializePartsRequest{MaterializeRequest: req, Parts: opened(a, b, c)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	other := req
	other.K = 7
	if _, err := db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: other, Parts: opened(a, b, c)}); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a different number of links: %v", err)
	}

	r, err := db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: req, Parts: opened(parts...)})
	if err != nil || r.Vertices != 60 || r.K != 6 {
		t.Fatalf("%+v, %v", r, err)
	}
	samePredictions(t, db, req.With, req.K)
	if again, err := db.Links().Materialize(ctx, req); err != nil || again.Computed != 0 || again.Links != r.Links {
		t.Errorf("the statement after the parts: %+v, %v", again, err)
	}
	mustRun(t, db, "INSERT EDGE ('0', '59') INTO g")
	if _, err := db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: req, Parts: opened(parts...)}); !errors.Is(err, storage.ErrInvalid) || !strings.Contains(err.Error(), "version 1 of") {
		t.Errorf("a different version: %v", err)
	}
}

func TestMaterializePart_Refused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 10, m := 2, seed := 1) INTO g")
	req := links.MaterializeRequest{Graph: "g", With: catalogue.Scorer{Name: "jaccard"}}
	path := filepath.Join(t.TempDir(), "part")
	for _, r := range []links.MaterializePartRequest{
		{MaterializeRequest: req, First: -1, Count: 2, Path: path, Overwrite: false}, {MaterializeRequest: req, First: 0, Count: -1, Path: path, Overwrite: false}, {MaterializeRequest: req, First: 0, Count: 11, Path: path, Overwrite: false}, {MaterializeRequest: req, First: 11, Count: 0, Path: path, Overwrite: false}, {MaterializeRequest: req, First: 9, Count: 2, Path: path, Overwrite: false},
		{MaterializeRequest: req, First: 0, Count: 2, Path: "", Overwrite: false}, {MaterializeRequest: req, First: 0, Count: 2, Path: filepath.Dir(path), Overwrite: true}, {MaterializeRequest: links.MaterializeRequest{Graph: "none", With: req.With}, First: 0, Count: 1, Path: path, Overwrite: false},
	} {
		var mistake *fault.Error
		if _, err := db.Links().MaterializePart(ctx, r); !errors.As(err, &mistake) {
			t.Errorf("%+v: %v", r, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%+v: a file was left", r)
		}
	}
}

// A division has ascending ends and about equal work in each part, and ends with the last vertex.
func TestDivideMaterialize(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 3000, m := 4, seed := 5) INTO g")
	mustRun(t, db, "CREATE GRAPH empty")
	g, err := db.Graphs().Snapshot(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	for _, scorer := range []string{"adamic_adar", "katz", "preferential_attachment"} {
		for _, n := range []int{1, 2, 7, 64, 5000} {
			ends, err := db.Links().DivideMaterialize(ctx, links.MaterializeRequest{Graph: "g", With: catalogue.Scorer{Name: scorer}}, n)
			if err != nil || len(ends) != n || !slices.IsSorted(ends) || ends[0] < 0 || ends[n-1] != 3000 {
				t.Fatalf("%s, %d parts: %v, %v", scorer, n, ends, err)
			}
			if scorer != "adamic_adar" || n != 7 {
				continue
			}
			var work []float64
			first, total := int64(0), 0.0
			for _, end := range ends {
				sum := 0.0
				for u := first; u < end; u++ {
					sum += 64
					for _, v := range g.Graph.Neighbors(uint32(u)) {
						sum += float64(g.Graph.Degree(v))
					}
				}
				work, total, first = append(work, sum), total+sum, end
			}
			for _, w := range work {
				if w < total/14 || w > total*2/7 {
					t.Errorf("work of the parts %v", work)
				}
			}
		}
	}
	for _, n := range []int{0, -1, 1_000_001} {
		var mistake *fault.Error
		if _, err := db.Links().DivideMaterialize(ctx, links.MaterializeRequest{Graph: "g", With: catalogue.Scorer{Name: "katz"}}, n); !errors.As(err, &mistake) {
			t.Errorf("%d parts: %v", n, err)
		}
	}
	if ends, err := db.Links().DivideMaterialize(ctx, links.MaterializeRequest{Graph: "empty", With: catalogue.Scorer{Name: "katz"}}, 3); err != nil || !slices.Equal(ends, []int64{0, 0, 0}) {
		t.Errorf("empty graph: %v, %v", ends, err)
	}
}

// Parts of a graph with capped vertices store what the statement does.
func TestMaterializeParts_Capped(t *testing.T) {
	if repeat.Times(1) == 1 {
		t.Skip("a large star, of which TestPredict_Star runs another; the step repeat runs both")
	}
	t.Parallel()
	ctx := context.Background()
	db := openStar(t, 150_000)
	req := links.MaterializeRequest{Graph: "star", With: catalogue.Scorer{Name: "resource_allocation"}, K: 2}
	want, err := db.Links().Materialize(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := db.Links().DivideMaterialize(ctx, req, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: req, Parts: opened(partsOf(t, db, req, ends)...)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*links.MaterializeResult{&want, &got} {
		r.Created, r.Seconds, r.Reason, r.Computed, r.Notices = time.Time{}, 0, "", 0, nil
	}
	if !reflect.DeepEqual(got, want) || got.Capped == 0 {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

// MaterializeRequestOf parses a statement as MATERIALIZE PREDICTIONS does, also in a
// read-only database.
func TestMaterializeRequestOf(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := t.TempDir() + "/file"
	db, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, db, "GENERATE preferential_attachment(n := 10, m := 2, seed := 1) INTO g")
	closeJobs(t, db)
	db, err = Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, want := range map[string]links.MaterializeRequest{
		"MATERIALIZE PREDICTIONS FROM katz IN g":                   {Graph: "g", With: catalogue.Scorer{Name: "katz"}},
		"MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 3)":   {Graph: "g", With: catalogue.Scorer{Name: "katz"}, K: 3},
		"MATERIALIZE PREDICTIONS FROM katz IN h":                   {},
		"MATERIALIZE PREDICTIONS FROM cats IN g":                   {},
		"MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := '3')": {},
	} {
		s, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Links().MaterializeRequestOf(ctx, s.(*parser.Materialize))
		if want.Graph == "" {
			var mistake *fault.Error
			if !errors.As(err, &mistake) || mistake.Start.Line != 1 {
				t.Errorf("%s: %v", text, err)
			}
		} else if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// magic is the number of bytes of the first line of a part.
const magic = len("heavytail predictions 1\n")
