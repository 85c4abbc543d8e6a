package picture

import (
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/cmd/figure"
	"heavytail/embedding/evaluate"
	"heavytail/query/graphs"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// The line of the law begins at the fraction of the vertices in its tail, ends at the
// largest degree, and decreases.
func TestWithLaw(t *testing.T) {
	t.Parallel()
	counts := []graphs.DegreeCount{{Degree: 0, Vertices: 10}, {Degree: 1, Vertices: 60}, {Degree: 2, Vertices: 20}, {Degree: 4, Vertices: 7}, {Degree: 9, Vertices: 3}}
	law, err := FitLaw(t.Context(), counts)
	if err != nil {
		t.Fatal(err)
	}
	d := WithLaw(Degrees("g", counts), law)
	first, last := d.Law[0], d.Law[len(d.Law)-1]
	if want := float64(law.Tail) / 100; first.X != float64(law.Xmin) || math.Abs(first.Y-want) > 1e-12 || last.X != 9 || !strings.Contains(d.Says, "power law of g") {
		t.Errorf("%q from %v to %v, want from %d, %v", d.Says, first, last, law.Xmin, want)
	}
	if !slices.IsSortedFunc(d.Law, func(a, b figure.Point) int { return int(math.Copysign(1, b.Y-a.Y)) }) {
		t.Errorf("the law rises: %v", d.Law)
	}
	if law, err := FitLaw(t.Context(), counts[:2]); law != nil || err != nil {
		t.Errorf("a law of one degree: %v, %v", law, err)
	}
	if d := WithLaw(Degrees("g", counts), nil); d.Law != nil {
		t.Errorf("without a law there is %v", d.Law)
	}
}

// The bars of a histogram count all values, and heavy-tailed values have logarithmic axes.
func TestDistribution(t *testing.T) {
	t.Parallel()
	area := func(c figure.Chart) (sum float64) {
		points := c.Series[0].Points
		for i := range len(points) - 1 {
			sum += points[i].Y * (points[i+1].X - points[i].X)
		}
		return sum
	}
	whole := Distribution("age", []float64{3, 3, 4, 7, math.NaN(), math.Inf(1)})
	if whole.X.Log || area(whole) != 4 || whole.Series[0].Points[0].X != 2.5 {
		t.Errorf("whole numbers: %v", whole.Series[0].Points)
	}
	var many []float64
	for i := range 240 {
		many = append(many, float64(i)/239)
	}
	if c := Distribution("x", many); math.Abs(area(c)-10) > 1e-9 {
		t.Errorf("240 values in 24 bars have area %v", area(c))
	}
	for name, values := range map[string][]float64{"one": {5.5}, "equal": {2.5, 2.5}, "negative": {-1e300, 1e300}} {
		if c := Distribution(name, values); c.X.Log || !(area(c) > 0) {
			t.Errorf("%s: %+v", name, c.Series[0].Points)
		}
	}
	heavy := Distribution("x", []float64{1, 1, 1, 2, 100})
	if want := []figure.Point{{X: 1, Y: 1}, {X: 2, Y: 0.4}, {X: 100, Y: 0.2}}; !heavy.X.Log || !slices.Equal(heavy.Series[0].Points, want) {
		t.Errorf("a heavy tail: %v", heavy.Series[0].Points)
	}
	if c := Distribution("x", nil); c.Series[0].Points != nil {
		t.Errorf("no values: %v", c)
	}
}

// The most frequent values have a class of their own, if they are not too many and not too
// rare. There is a class of other values only if there are other values.
func TestByText(t *testing.T) {
	t.Parallel()
	var list []vectors.ProjectedVertex
	for i, n := range []int{5, 4, 3, 1} {
		for range n {
			list = append(list, vectors.ProjectedVertex{Value: storage.TextValue(string(rune('a' + i)))})
		}
	}
	names := func(series []figure.Series) (all []string) {
		for _, s := range restLast(series) {
			name := s.Name
			if s.Rest {
				name += "*"
			}
			all = append(all, name)
		}
		return all
	}
	for _, c := range []struct {
		most, least int
		want        []string
	}{
		{4, 0, []string{"x a", "x b", "x c", "x d"}},
		{3, 0, []string{"x a", "x b", "other values*"}},
		{4, 2, []string{"x a", "x b", "x c", "other values*"}},
		{4, 9, []string{"other values*"}},
	} {
		if got := names(byText(list, "x", c.most, c.least)); !slices.Equal(got, c.want) {
			t.Errorf("at most %d of %d vertices: %v, want %v", c.most, c.least, got, c.want)
		}
	}
}

// Communities without a colour have a name that says what they are, unless some vertices
// have no value.
func TestCommunities(t *testing.T) {
	t.Parallel()
	of := func(sizes ...int) (list []vectors.ProjectedVertex) {
		for i, n := range sizes {
			for range n {
				list = append(list, vectors.ProjectedVertex{Value: storage.IntegerValue(int64(i))})
			}
		}
		return list
	}
	ones := make([]int, 1000)
	for i := range ones {
		ones[i] = 1
	}
	for want, list := range map[string][]vectors.ProjectedVertex{
		"community 2":         of(9, 8, 7),
		"smaller communities": of(900, 800, 1),
		"small communities":   of(ones...),
		otherValues:           append(of(900, 800, 1), vectors.ProjectedVertex{}),
	} {
		series := communities(list, "community")
		if last := series[len(series)-1]; last.Name != want || last.Rest != (want != "community 2") {
			t.Errorf("the last class is %q, %v, want %q", last.Name, last.Rest, want)
		}
	}
}

// Best has the scores of a kind by descending AUC, each with its curve.
func TestBest(t *testing.T) {
	t.Parallel()
	var result studies.EvaluateLinksResult
	for i, auc := range []float64{0.5, 0.9, 0.7, 0.99} {
		kind := evaluate.RandomNegatives
		if i == 3 {
			kind = evaluate.DegreeNegatives
		}
		result.Scores = append(result.Scores, studies.MethodScore{Method: -1, Negatives: kind, LinkScore: evaluate.LinkScore{AUC: auc}})
		result.Curves = append(result.Curves, []evaluate.CurvePoint{{Recall: auc}})
	}
	best := Best(result, evaluate.RandomNegatives, 2)
	if len(best.Scores) != 2 || best.Scores[0].AUC != 0.9 || best.Scores[1].AUC != 0.7 || best.Curves[0][0].Recall != 0.9 {
		t.Errorf("%+v", best)
	}
	if c := ROC(best, evaluate.RandomNegatives); len(c.Series) != 3 || c.Series[0].Name != "chance" {
		t.Errorf("%+v", c.Series)
	}
}
