package studies

import (
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"heavytail/query/internal/cells"
	"heavytail/query/internal/trial"
	"heavytail/storage"
)

// TestLinkFigures_JSON reads figures back unchanged, also undefined ones.
func TestLinkFigures_JSON(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := trial.NewWriter(&b, "x", 1, 0, 1)
	f := linkFigures{Popular: cells.Nullable(math.NaN()), Scores: []MethodScore{{NullAUC: math.NaN(), AUCDeviation: math.Nextafter(0.1, 1)}}}
	f.Scores[0].AUC, f.Scores[0].Hits = math.SmallestNonzeroFloat64, math.Copysign(0, -1)
	if err := errors.Join(w.Of(storage.GraphInfo{}), w.Write(f), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := trial.NewReader([]func() (io.ReadCloser, error){func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(b.String())), nil }}, "x", 1)
	r.Of(storage.GraphInfo{})
	var got linkFigures
	if err := r.Read(&got); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(float64(got.Popular)) || !math.IsNaN(got.Scores[0].NullAUC) || !math.Signbit(got.Scores[0].Hits) {
		t.Errorf("%+v", got)
	}
	got.Popular, f.Popular, got.Scores[0].NullAUC, f.Scores[0].NullAUC = 0, 0, 0, 0
	if !reflect.DeepEqual(got, f) {
		t.Errorf("%+v, expected %+v", got, f)
	}
	w = trial.NewWriter(io.Discard, "x", 2, 0, 2)
	if err := errors.Join(w.Of(storage.GraphInfo{}), w.Write(f), w.Close()); err == nil {
		t.Error("Close accepted a part without one of its trials")
	}
}
