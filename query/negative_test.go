package query

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

	"heavytail/query/parser"
	"heavytail/storage"
)

// numberedRequests has, for each method with an integer among its arguments, the arguments after
// the context of a call that succeeds on the store of writingStore.
func numberedRequests(t *testing.T, dir string) map[string][]any {
	t.Helper()
	file := func(name string) string { return filepath.Join(dir, name) }
	l3 := Scorer{Name: "common_neighbors"}
	imported := ImportRequest{Graph: "other", Path: file("edges")}
	materialize := MaterializeRequest{Graph: "g", With: l3, K: 2}
	updated := []storage.Edge{{Source: "0", Target: "1", Weight: 2}}
	edges := []storage.Edge{{Source: "0", Target: "1"}}
	evaluated, err := parser.Parse("EVALUATE LINKS IN g WITH (splits := 2)")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]any{
		"AutoRefresh":            {"e", storage.AutoRefresh{Changes: 5, Every: time.Hour}},
		"CreateIndex":            {CreateIndexRequest{Embedding: "f"}},
		"DeleteEdges":            {"g", edges},
		"Derive":                 {DeriveRequest{Graph: "new", Of: "g", How: DeriveSample, Vertices: 5}},
		"DescribeGraph":          {DescribeGraphRequest{Graph: "g"}},
		"Diff":                   {DiffRequest{Before: "e", After: "f"}},
		"DivideMaterialize":      {materialize, 2},
		"EachEdge":               {EdgesRequest{Graph: "g"}},
		"EachNearest":            {NearestForRequest{Embedding: "e", K: 2}},
		"EachNeighbor":           {NeighborsRequest{Graph: "g", Vertex: "1"}},
		"EachPredict":            {PredictEachRequest{Graph: "g", With: l3, K: 2}},
		"EachPredicted":          {PredictedEachRequest{Graph: "g", With: l3, K: 2}},
		"EachVertex":             {VerticesRequest{Graph: "g"}},
		"Edges":                  {EdgesRequest{Graph: "g"}},
		"EvaluateLabels":         {EvaluateLabelsRequest{Embedding: "e", Attribute: "labels"}},
		"EvaluateLinks":          {EvaluateLinksRequest{Graph: "g", Scorers: []string{"common_neighbors"}}},
		"EvaluateParameters":     {EvaluateParametersRequest{Graph: "g", Method: "dp_spectral", Vary: []Variation{{Option: "dim", Values: []float64{2}}}}},
		"EvaluateReconstruction": {EvaluateReconstructionRequest{Embedding: "e"}},
		"ExportPairs":            {ExportPairsRequest{Path: file("pairs.csv"), Overwrite: true, Evaluation: EvaluateLinksRequest{Graph: "g", Scorers: []string{"common_neighbors"}}}},
		"ExportWalks":            {ExportWalksRequest{Graph: "g", Path: file("walks.txt"), Overwrite: true, Method: "deepwalk", Count: new(int64(3))}},
		"Import":                 {imported},
		"ImportReader":           {io.Reader(strings.NewReader("a b\n")), ImportRequest{Graph: "other"}},
		"ImportVertices":         {ImportRequest{Graph: "g", Path: file("people.csv"), Key: "name"}},
		"InsertEdges":            {"g", edges},
		"Keys":                   {"g", "", 3},
		"Materialize":            {materialize},
		"MaterializePart":        {MaterializePartRequest{MaterializeRequest: materialize, Count: 3, Path: file("part"), Overwrite: true}},
		"MaterializeParts":       nil, // it reads what MaterializePart has written; see there
		"Nearest":                {NearestRequest{Embedding: "e", Vertex: "1", K: 2}},
		"Neighbors":              {NeighborsRequest{Graph: "g", Vertex: "1"}},
		"Predict":                {PredictRequest{Graph: "g", With: l3, K: 2}},
		"PredictFor":             {PredictForRequest{Graph: "g", Vertex: "1", With: l3, K: 2}},
		"Predicted":              {PredictedRequest{Graph: "g", Vertex: "1", With: l3, K: 2}},
		"Reconstruct":            {ReconstructRequest{Embedding: "e", Radius: .1, File: file("near"), Overwrite: true}},
		"ReconstructedDegrees":   {EvaluateReconstructionRequest{Embedding: "e"}},
		"ScoreFile":              {ScoreFileRequest{Path: file("edges"), Graph: "g", With: []Scorer{l3}, Each: func(ScoredPair) error { return nil }}},
		"StartCreateIndex":       {CreateIndexRequest{Embedding: "f"}},
		"StartMaterialize":       {materialize},
		"StartTrainModel":        {TrainModelRequest{Graph: "g", Name: "k", Heuristics: []string{"l3"}}},
		"StartTune":              {TuneRequest{Graph: "g", Name: "tuned", Goal: ForReconstruction, Trials: 1}},
		"StartVerify":            {VerifyRequest{Embedding: "v"}},
		"TrainModel":             {TrainModelRequest{Graph: "g", Name: "k", Heuristics: []string{"l3"}}},
		"Tune":                   {TuneRequest{Graph: "g", Name: "tuned", Goal: ForReconstruction, Trials: 1}},
		"UpdateEdges":            {"g", updated},
		"Verify":                 {VerifyRequest{Embedding: "v"}},
		"Vertices":               {VerticesRequest{Graph: "g"}},
		"Within":                 {WithinRequest{Embedding: "e", Vertex: "1", Radius: .1}},
		"WriteTrials":            {TrialsRequest{Statement: evaluated, Count: 1, Path: file("trials"), Overwrite: true}},
	}
}

const noCandidates = "takes no nearest vertices as candidates"

// mayBeNegative are integers for which a negative value has a meaning.
var mayBeNegative = map[string]string{
	"DescribeGraph.Bootstrap": "leaves the p-value out", "DivideMaterialize.Near": noCandidates, "EachPredict.Near": noCandidates, "EvaluateLinks.Near": noCandidates,
	"ExportPairs.Evaluation.Near": noCandidates, "Materialize.Near": noCandidates, "MaterializePart.MaterializeRequest.Near": noCandidates, "Predict.Near": noCandidates,
	"PredictFor.Near": noCandidates, "StartMaterialize.Near": noCandidates,
}

// callMethod calls a method of a database and returns its error, also that of an iterator.
func callMethod(db *DB, method string, ctx context.Context, args []any) (err error) {
	m := reflect.ValueOf(db).MethodByName(method)
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
	begin := func() *DB {
		if err := os.WriteFile(path, base, 0o600); err != nil {
			t.Fatal(err)
		}
		return openJobs(t, path)
	}
	of, tried := reflect.TypeFor[*DB](), 0
	for i := range of.NumMethod() {
		m := of.Method(i)
		numbered := false
		for j := 1; j < m.Type.NumIn(); j++ {
			numbered = numbered || hasNumber(m.Type.In(j), 4)
		}
		args, known := requests[m.Name]
		if numbered && !known {
			t.Errorf("method %s has integers and no request", m.Name)
		}
		if args == nil {
			continue
		}
		db := begin()
		if err := callMethod(db, m.Name, ctx, args); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		closeJobs(t, db)
		for j, arg := range args {
			for n, done := 0, false; !done; n++ {
				changed := reflect.New(reflect.TypeOf(arg)).Elem()
				changed.Set(reflect.ValueOf(arg))
				at, what := 0, ""
				numbersIn(changed, m.Name, func(path string, number reflect.Value) {
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
				if err := callMethod(db, m.Name, ctx, list); err == nil {
					t.Errorf("%s is -1, and there is no error", what)
				}
				closeJobs(t, db)
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
	of, called := reflect.TypeFor[*DB](), 0
	for i := range of.NumMethod() {
		m := of.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != contextType {
			continue
		}
		called++
		args := requests[m.Name]
		if args == nil {
			for j := 2; j < m.Type.NumIn(); j++ {
				in := m.Type.In(j)
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
		db := openJobs(t, path)
		func() {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s: panic: %v", m.Name, what)
				}
			}()
			if err := callMethod(db, m.Name, nil, args); err != nil && requests[m.Name] != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}()
		closeJobs(t, db)
	}
	if called < 100 {
		t.Errorf("only %d methods", called)
	}
}
