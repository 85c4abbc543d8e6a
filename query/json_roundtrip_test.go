package query_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/embedding/tune"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/links"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
	"heavytail/storage/format"
)

// jsonTypes are the types that programs read from JSON, in addition to the results of the
// methods of DB, which the test finds.
var jsonTypes = []any{
	option.Info{}, help.Statement{}, run.Method{}, graphs.Generator{}, catalogue.Scorer{}, links.Pair{},
	studies.ParameterPoint{}, studies.MethodScore{}, graphs.GraphStatistics{}, vectors.VerifyMeasure{}, vectors.VertexVector{},
	evaluate.ReconstructionPoint{}, evaluate.PowerLaw{}, evaluate.Measured{}, evaluate.LinkScore{},
	tune.Trial{}, tune.Judgement{}, tune.Measure{}, tune.Stage(0),
	storage.GraphInfo{}, storage.EmbeddingInfo{}, storage.IndexInfo{}, storage.JobInfo{}, storage.Attribute{}, storage.Type(0),
	format.ReadStats{}, format.LineError{}, format.TimeForm(0),
}

// TestJSON_RoundTrip fills a value of every type, writes it as JSON, reads it back and
// compares; then the same with the zero value.
func TestJSON_RoundTrip(t *testing.T) {
	t.Parallel()
	types := resultTypes()
	for _, listed := range jsonTypes {
		types = append(types, reflect.TypeOf(listed))
	}
	if len(types) < 80 {
		t.Errorf("only %d types", len(types))
	}
	for _, of := range types {
		full := reflect.New(of).Elem()
		n := 0
		fillValue(full, &n)
		for _, written := range []reflect.Value{full, reflect.Zero(of)} {
			text, err := json.Marshal(written.Interface())
			if err != nil {
				t.Errorf("%v: %v", of, err)
				continue
			}
			read := reflect.New(of)
			if err := json.Unmarshal(text, read.Interface()); err != nil {
				t.Errorf("%v: %v: %s", of, err, text)
			} else if !reflect.DeepEqual(read.Elem().Interface(), written.Interface()) {
				t.Errorf("%v: read back %+v\nexpected %+v\nJSON: %s", of, read.Elem(), written, text)
			}
		}
	}
}

// resultTypes returns the types of data that the methods of DB return.
func resultTypes() []reflect.Type {
	other := []reflect.Type{reflect.TypeFor[*rows.Rows](), reflect.TypeFor[*storage.Snapshot](), reflect.TypeFor[error]()}
	var types []reflect.Type
	for name, method := range boundMethods(new(query.DB)) {
		if strings.HasSuffix(name, "RequestOf") {
			continue
		}
		if method.Type().NumOut() == 0 {
			continue
		}
		of := method.Type().Out(0)
		if of.Kind() == reflect.Func { // an iterator yields a row and an error
			of = of.In(0).In(0)
		}
		if !slices.Contains(other, of) && !slices.Contains(types, of) {
			types = append(types, of)
		}
	}
	return types
}

// fillValue sets every part of a value that JSON contains, to different values where possible.
func fillValue(v reflect.Value, n *int) {
	*n++
	switch set := v.Addr().Interface().(type) {
	case *time.Time:
		*set = time.Unix(int64(*n), 0).UTC()
		return
	case *storage.Value:
		*set = storage.IntegerValue(int64(*n))
		return
	case *error:
		*set = errors.New("refused")
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fillValue(v.Field(i), n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Pointer {
			return // a step of a plan, which contains steps
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(v.Index(0), n)
		fillValue(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fillValue(v.Index(i), n)
		}
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(int64(*n))
	case reflect.Uint8: // mostly an enumeration
		v.SetUint(1)
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		v.SetUint(uint64(*n))
	}
}

// TestJSON_NullIsNaN reads undefined figures.
func TestJSON_NullIsNaN(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	written := studies.EvaluateParametersResult{Points: []studies.ParameterPoint{{Option: "dim", Value: 8, ReconstructionPoint: evaluate.ReconstructionPoint{Pearson: nan, Kendall: 0.5, Law: evaluate.PowerLaw{P: nan, Alpha: 2}}}}}
	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	var read studies.EvaluateParametersResult
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	p := read.Points[0]
	if !math.IsNaN(p.Pearson) || !math.IsNaN(p.Law.P) || p.Kendall != 0.5 || p.Law.Alpha != 2 || p.Option != "dim" || p.Value != 8 {
		t.Errorf("%+v from %s", p, text)
	}
	for text, into := range map[string]any{`"later"`: new(tune.Stage), `"day"`: new(storage.Type), `"eras"`: new(format.TimeForm), `3`: new(tune.Trial), `{"score":"x"}`: new(tune.Judgement)} {
		if err := json.Unmarshal([]byte(text), into); err == nil {
			t.Errorf("%s is read as a %T: %v", text, into, into)
		}
	}
}
