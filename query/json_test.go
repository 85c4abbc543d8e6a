package query_test

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/tune"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// TestJSON_Names checks every JSON field of the results of the methods of DB: its name is in
// lower case, and no field hides another one.
func TestJSON_Names(t *testing.T) {
	t.Parallel()
	lower := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	elsewhere := []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[storage.Value](), reflect.TypeFor[rows.Rows](), reflect.TypeFor[storage.Snapshot]()}
	seen := map[reflect.Type]bool{}
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			look(of.Elem())
			return
		case reflect.Func: // an iterator yields a row and an error
			if of.NumIn() == 1 && of.In(0).Kind() == reflect.Func {
				look(of.In(0).In(0))
			}
			return
		case reflect.Struct:
		default:
			if of.PkgPath() != "" && of.Kind() >= reflect.Int && of.Kind() <= reflect.Uint64 && of != reflect.TypeFor[time.Duration]() && !of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && !of.Implements(reflect.TypeFor[json.Marshaler]()) {
				t.Errorf("%v is a number in JSON", of)
			}
			return
		}
		if seen[of] || slices.Contains(elsewhere, of) {
			return
		}
		seen[of] = true
		has, omitted := map[string]bool{}, map[string]bool{}
		for _, f := range reflect.VisibleFields(of) {
			name, omit, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" {
				continue
			}
			if f.Anonymous && name == "" {
				look(f.Type)
				continue
			}
			if !lower.MatchString(name) {
				t.Errorf("%v.%s is %q in JSON", of, f.Name, name)
			}
			if has[name] {
				t.Errorf("%v has %q twice in JSON", of, name)
			}
			has[name] = true
			if omit != "" {
				omitted[name] = true
			}
			look(f.Type)
		}
		text, err := json.Marshal(reflect.Zero(of).Interface())
		if err != nil {
			t.Errorf("%v: %v", of, err)
		}
		for name := range has { // a MarshalJSON of an embedded struct would omit fields
			if !omitted[name] && !strings.Contains(string(text), `"`+name+`":`) {
				t.Errorf("%v has no %q: %s", of, name, text)
			}
		}
	}
	for name, method := range boundMethods(new(query.DB)) {
		if strings.HasSuffix(name, "RequestOf") {
			continue
		}
		for j := range method.Type().NumOut() {
			look(method.Type().Out(j))
		}
	}
	for _, result := range []any{links.ScoredPair{}, links.ExplainedScore{}} {
		look(reflect.TypeOf(result))
	}
	if len(seen) < 80 {
		t.Errorf("only %d types", len(seen))
	}
}

// TestJSON_Undefined writes results with undefined figures.
func TestJSON_Undefined(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	point := evaluate.ReconstructionPoint{Epsilon: 0.5, Pearson: nan, Spearman: nan, Kendall: nan, Precision: nan, Recall: nan, Law: evaluate.PowerLaw{P: nan, KS: math.Inf(1)}}
	for want, result := range map[string]any{
		`"pearson":null`: vectors.ReconstructResult{Points: []evaluate.ReconstructionPoint{point}},
		`{"option":"dim","value":8,"epsilon":0.5`:                                   studies.EvaluateParametersResult{Points: []studies.ParameterPoint{{Option: "dim", Value: 8, ReconstructionPoint: point}}},
		`{"method":2,"negatives":"random","scorer":"l2","learned":false,"auc":null`: studies.EvaluateLinksResult{Scores: []studies.MethodScore{{Method: 2, Negatives: "random", LinkScore: evaluate.LinkScore{Scorer: "l2", AUC: nan}}}},
		`"micro_f1":{"mean":0.5,"deviation":null}`:                                  studies.EvaluateLabelsResult{Scores: []evaluate.LabelScore{{MicroF1: evaluate.Measured{Mean: 0.5, Deviation: nan}}}},
		`"assortativity":null`:                                                      graphs.GraphDescription{GraphInfo: storage.GraphInfo{Name: "g"}, GraphStatistics: graphs.GraphStatistics{Assortativity: nan}},
		`{"name":"pearson","stored":null,"full":1}`:                                 vectors.VerifyResult{Measures: []vectors.VerifyMeasure{{Name: "pearson", Stored: nan, Full: 1}}},
		`"stage":"defaults","confirmed":false,"score":null`:                         studies.TuneResult{Trials: []tune.Trial{{Number: 1, Judgement: tune.Judgement{Score: nan}, Err: errors.New("refused")}}},
		`"error":"refused"`:                                                         tune.Trial{Err: errors.New("refused")},
		`"type":"text"`:                                                             storage.GraphInfo{Attributes: []storage.Attribute{{Name: "a", Type: storage.Text}}},
	} {
		text, err := json.Marshal(result)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s, %v", text, want, err)
		}
	}
	text, err := json.Marshal(graphs.GraphDescription{GraphInfo: storage.GraphInfo{Name: "g"}})
	if err != nil || !strings.HasPrefix(string(text), `{"name":"g"`) || !strings.Contains(string(text), `"density":0`) || !strings.Contains(string(text), `"embeddings":`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestJSON_MissingScores writes the scores of a missing vertex, which are NaN, and reads
// them back.
func TestJSON_MissingScores(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b\nb c\n")
	result, err := db.Links().Score(context.Background(), links.ScoreRequest{Pairs: []links.Pair{{Source: "a", Target: "c"}, {Source: "a", Target: "nobody"}}, With: []catalogue.Scorer{{Name: "common_neighbors"}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"pairs":[{"source":"a","target":"c","scores":[1]},{"source":"a","target":"nobody","scores":[null]}],"missing":1,`; !strings.HasPrefix(string(text), want) {
		t.Errorf("%s, expected it to begin with %s", text, want)
	}
	var read links.ScoreResult
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if p := read.Pairs; len(p) != 2 || p[0].Source != "a" || p[0].Target != "c" || p[0].Scores[0] != 1 || p[1].Target != "nobody" || !math.IsNaN(p[1].Scores[0]) {
		t.Errorf("read back: %+v", read)
	}
	none, err := json.Marshal(links.ExplainedScore{Scorer: catalogue.Scorer{Name: "l2", Embedding: "e"}, Score: math.NaN()})
	if err != nil || string(none) != `{"scorer":{"name":"l2","embedding":"e"},"score":null}` {
		t.Errorf("%s, %v", none, err)
	}
	var explained links.ExplainedScore
	if err := json.Unmarshal(none, &explained); err != nil || !math.IsNaN(explained.Score) || explained.Scorer.Embedding != "e" {
		t.Errorf("read back: %+v, %v", explained, err)
	}
}
