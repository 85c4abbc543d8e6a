package query_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/parser"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// numberedRequests has, for each method with an integer among its arguments, the arguments after
// the context of a call that succeeds on the store of writingStore.
func numberedRequests(t *testing.T, dir string) map[string][]any {
	t.Helper()
	file := func(name string) string { return filepath.Join(dir, name) }
	l3 := catalogue.Scorer{Name: "common_neighbors"}
	imported := graphs.ImportRequest{Graph: "other", Path: file("edges")}
	materialize := links.MaterializeRequest{Graph: "g", With: l3, K: 2}
	updated := []storage.Edge{{Source: "0", Target: "1", Weight: 2}}
	edges := []storage.Edge{{Source: "0", Target: "1"}}
	return map[string][]any{
		"Vectors.AutoRefresh":            {"e", storage.AutoRefresh{Changes: 5, Every: time.Hour}},
		"Vectors.CreateIndex":            {vectors.CreateIndexRequest{Embedding: "f"}},
		"Graphs.DeleteEdges":             {"g", edges},
		"Graphs.Derive":                  {graphs.DeriveRequest{Graph: "new", Of: "g", How: graphs.DeriveSample, Vertices: 5}},
		"Graphs.Describe":                {graphs.DescribeGraphRequest{Graph: "g"}},
		"Vectors.Diff":                   {vectors.DiffRequest{Before: "e", After: "f"}},
		"Graphs.EachEdge":                {graphs.EdgesRequest{Graph: "g"}},
		"Vectors.EachNearest":            {vectors.NearestRequest{Embedding: "e", K: 2}},
		"Graphs.EachNeighbor":            {graphs.NeighborsRequest{Graph: "g", Vertex: "1"}},
		"Links.EachPredict":              {links.PredictRequest{Graph: "g", With: l3, K: 2}},
		"Graphs.EachVertex":              {graphs.VerticesRequest{Graph: "g"}},
		"Graphs.Edges":                   {graphs.EdgesRequest{Graph: "g"}},
		"Studies.EvaluateLabels":         {studies.EvaluateLabelsRequest{Embedding: "e", Attribute: "labels"}},
		"Studies.EvaluateLinks":          {studies.EvaluateLinksRequest{Graph: "g", Scorers: []string{"common_neighbors"}}},
		"Studies.EvaluateParameters":     {studies.EvaluateParametersRequest{Graph: "g", Method: "dp_spectral", Vary: []studies.Variation{{Option: "dim", Values: []float64{2}}}}},
		"Vectors.EvaluateReconstruction": {vectors.EvaluateReconstructionRequest{Embedding: "e"}},
		"Studies.ExportPairs":            {studies.ExportPairsRequest{Path: file("pairs.csv"), Overwrite: true, Evaluation: studies.EvaluateLinksRequest{Graph: "g", Scorers: []string{"common_neighbors"}}}},
		"Vectors.ExportWalks":            {vectors.ExportWalksRequest{Graph: "g", Path: file("walks.txt"), Overwrite: true, Method: "deepwalk", Count: new(int64(3))}},
		"Graphs.Import":                  {imported},
		"Graphs.ImportReader":            {io.Reader(strings.NewReader("a b\n")), graphs.ImportRequest{Graph: "other"}},
		"Graphs.ImportVertices":          {graphs.ImportRequest{Graph: "g", Path: file("people.csv"), Key: "name"}},
		"Graphs.InsertEdges":             {"g", edges},
		"Graphs.Keys":                    {"g", "", 3},
		"Links.Materialize":              {materialize},
		"Vectors.Nearest":                {vectors.NearestRequest{Embedding: "e", Vertex: "1", K: 2}},
		"Graphs.Neighbors":               {graphs.NeighborsRequest{Graph: "g", Vertex: "1"}},
		"Graphs.ShortestPaths":           {graphs.PathsRequest{PathRequest: graphs.PathRequest{Graph: "g", From: "0", To: "1"}, K: 2}},
		"Links.Predict":                  {links.PredictRequest{Graph: "g", With: l3, K: 2}},
		"Vectors.Reconstruct":            {vectors.ReconstructRequest{Embedding: "e", Radius: .1, File: file("near"), Overwrite: true}},
		"Vectors.ReconstructedDegrees":   {vectors.EvaluateReconstructionRequest{Embedding: "e"}},
		"Links.Explain":                  {links.ScoreRequest{Pairs: []links.Pair{{Source: "0", Target: "1"}}, Graph: "g"}},
		"Links.EvaluateTest":             {links.EvaluateTestRequest{Graph: "g", Edges: links.PairSource{Graph: "g"}, Others: links.PairSource{Graph: "g"}, Hits: []int{2}, AllowLeaks: true}},
		"Links.Score":                    {links.ScoreRequest{Path: file("edges"), Graph: "g", With: []catalogue.Scorer{l3}, Each: func(links.ScoredPair) error { return nil }}},
		"Vectors.StartCreateIndex":       {vectors.CreateIndexRequest{Embedding: "f"}},
		"Links.StartMaterialize":         {materialize},
		"Links.StartTrainModel":          {links.TrainModelRequest{Graph: "g", Name: "k", Heuristics: []string{"l3"}}},
		"Studies.StartTune":              {studies.TuneRequest{Graph: "g", Name: "tuned", Goal: studies.ForReconstruction, Trials: 1}},
		"Vectors.StartVerify":            {vectors.VerifyRequest{Embedding: "v"}},
		"Links.TrainModel":               {links.TrainModelRequest{Graph: "g", Name: "k", Heuristics: []string{"l3"}}},
		"Studies.Tune":                   {studies.TuneRequest{Graph: "g", Name: "tuned", Goal: studies.ForReconstruction, Trials: 1}},
		"Graphs.UpdateEdges":             {"g", updated},
		"Vectors.Verify":                 {vectors.VerifyRequest{Embedding: "v"}},
		"Graphs.Vertices":                {graphs.VerticesRequest{Graph: "g"}},
		"Vectors.Within":                 {vectors.WithinRequest{Embedding: "e", Vertex: "1", Radius: .1}},
	}
}

const noCandidates = "takes no nearest vertices as candidates"

// mayBeNegative are integers for which a negative value has a meaning.
var mayBeNegative = map[string]string{
	"Graphs.Describe.Bootstrap": "leaves the p-value out", "Links.EachPredict.Near": noCandidates, "Studies.EvaluateLinks.Near": noCandidates,
	"Studies.ExportPairs.Evaluation.Near": noCandidates, "Links.Materialize.Near": noCandidates, "Links.Predict.Near": noCandidates,
	"Links.StartMaterialize.Near": noCandidates,
}

// callMethod calls a method of a database and returns its error, also that of an iterator.
func callMethod(db *query.DB, method string, ctx context.Context, args []any) (err error) {
	m := boundMethods(db)[method]
	in := []reflect.Value{reflect.Zero(m.Type().In(0))}
	if ctx != nil {
		in[0] = reflect.ValueOf(ctx)
	}
	for i, a := range args {
		if a == nil {
			in = append(in, reflect.Zero(m.Type().In(i+1)))
			continue
		}
		in = append(in, reflect.ValueOf(a))
	}
	var out []reflect.Value
	if m.Type().IsVariadic() && len(in) == m.Type().NumIn() && in[len(in)-1].Kind() == reflect.Slice {
		out = m.CallSlice(in)
	} else {
		out = m.Call(in)
	}
	last := out[len(out)-1]
	if last.Kind() != reflect.Func {
		err, _ = last.Interface().(error)
		return err
	}
	yield := reflect.MakeFunc(last.Type().In(0), func(row []reflect.Value) []reflect.Value {
		err, _ = row[1].Interface().(error)
		return []reflect.Value{reflect.ValueOf(err == nil)}
	})
	last.Call([]reflect.Value{yield})
	return err
}

// numbersIn calls f with the path and the integer of each field of an argument, as an
// addressable value.
func numbersIn(v reflect.Value, path string, f func(path string, number reflect.Value)) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		f(path, v)
	case reflect.Pointer:
		if !v.IsNil() {
			numbersIn(v.Elem(), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "Time" {
				numbersIn(v.Field(i), path+"."+field.Name, f)
			}
		}
	}
}

// hasNumber reports whether a type of arguments has an integer.
func hasNumber(of reflect.Type, depth int) bool {
	switch of.Kind() {
	case reflect.Int, reflect.Int64:
		return true
	case reflect.Pointer, reflect.Slice:
		return depth > 0 && hasNumber(of.Elem(), depth-1)
	case reflect.Struct:
		if of == reflect.TypeFor[parser.Pos]() {
			return false // a place in a script
		}
		for i := range of.NumField() {
			if field := of.Field(i); field.IsExported() && field.Name != "Time" && depth > 0 && hasNumber(field.Type, depth-1) {
				return true
			}
		}
	}
	return false
}

// TestDB_NegativeNumbers makes every integer of every request negative, one after the other.
// Each is an error: noCandidates stands for "all" or for a default.
func TestDB_NegativeNumbers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	base := writingStore(t, dir)
	requests := numberedRequests(t, dir)
	path := filepath.Join(dir, "store")
	begin := func() *query.DB {
		if err := os.WriteFile(path, base, 0o600); err != nil {
			t.Fatal(err)
		}
		return querytest.OpenAt(t, path)
	}
	tried := 0
	for name, m := range boundMethods(new(query.DB)) {
		numbered := false
		for j := range m.Type().NumIn() {
			numbered = numbered || hasNumber(m.Type().In(j), 4)
		}
		args, known := requests[name]
		if numbered && !known {
			t.Errorf("method %s has integers and no request", name)
		}
		if args == nil {
			continue
		}
		db := begin()
		if err := callMethod(db, name, ctx, args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		querytest.Close(t, db)
		for j, arg := range args {
			for n, done := 0, false; !done; n++ {
				changed := reflect.New(reflect.TypeOf(arg)).Elem()
				changed.Set(reflect.ValueOf(arg))
				at, what := 0, ""
				numbersIn(changed, name, func(path string, number reflect.Value) {
					if at++; at-1 == n {
						what = path
						number.SetInt(-1)
					}
				})
				if done = what == ""; done {
					break
				}
				if _, may := mayBeNegative[what]; may {
					continue
				}
				tried++
				list := slices.Clone(args)
				list[j] = changed.Interface()
				db := begin()
				if err := callMethod(db, name, ctx, list); err == nil {
					t.Errorf("%s is -1, and there is no error", what)
				}
				querytest.Close(t, db)
			}
		}
	}
	if tried < 60 {
		t.Errorf("only %d numbers", tried)
	}
}

// TestDB_NilContext calls every method with a nil context, which is one that never ends.
func TestDB_NilContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := writingStore(t, dir)
	requests := numberedRequests(t, dir)
	contextType := reflect.TypeFor[context.Context]()
	path := filepath.Join(dir, "store")
	called := 0
	for name, m := range boundMethods(new(query.DB)) {
		if m.Type().NumIn() < 1 || m.Type().In(0) != contextType {
			continue
		}
		called++
		args := requests[name]
		if args == nil {
			for j := 1; j < m.Type().NumIn(); j++ {
				in := m.Type().In(j)
				if in.Kind() == reflect.Func {
					args = append(args, reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
						return []reflect.Value{reflect.Zero(in.Out(0))}
					}).Interface())
					continue
				}
				if in.Kind() == reflect.String {
					args = append(args, "g")
					continue
				}
				args = append(args, reflect.New(in).Elem().Interface())
			}
		}
		if err := os.WriteFile(path, base, 0o600); err != nil {
			t.Fatal(err)
		}
		db := querytest.OpenAt(t, path)
		func() {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s: panic: %v", name, what)
				}
			}()
			if err := callMethod(db, name, nil, args); err != nil && requests[name] != nil {
				t.Errorf("%s: %v", name, err)
			}
		}()
		querytest.Close(t, db)
	}
	if called < 100 {
		t.Errorf("only %d methods", called)
	}
}
