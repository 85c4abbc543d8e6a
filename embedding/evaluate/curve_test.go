package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every point of a curve equals a count over all pairs at some threshold, the area under
// the whole curve is the AUC, and with few steps the curve has few points and the same
// ends.
func TestPairScores_Curve(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var p PairScores
		for range 1 + random.IntN(60) {
			p.Edges = append(p.Edges, float64(random.IntN(9))+1)
		}
		for range 1 + random.IntN(60) {
			p.NonEdges = append(p.NonEdges, float64(random.IntN(9)))
		}
		points := p.Curve(1000)
		area, last := 0.0, CurvePoint{}
		for i, point := range points {
			area += (point.FalsePositives - last.FalsePositives) * (point.Recall + last.Recall) / 2
			last = point
			found := false
			for _, at := range append(p.Edges, p.NonEdges...) {
				precision, recall, _ := bruteF1(at, p.Edges, p.NonEdges)
				_, wrong, _ := bruteF1(at, p.NonEdges, p.Edges)
				found = found || near(point.Recall, recall) && near(point.Precision, precision) && near(point.FalsePositives, wrong)
			}
			if !found {
				t.Errorf("point %d is %+v, of no threshold", i, point)
			}
		}
		if !near(area, AUC(p.Edges, p.NonEdges)) {
			t.Errorf("the area is %v, the AUC %v", area, AUC(p.Edges, p.NonEdges))
		}
		few := p.Curve(3)
		if len(few) > 8 || few[0] != points[0] || few[len(few)-1] != last || last.Recall != 1 || last.FalsePositives != 1 {
			t.Errorf("three steps give %v of %v", few, points)
		}
	}
	if points := (PairScores{Edges: []float64{1}}).Curve(5); points != nil {
		t.Errorf("without another pair there is %v", points)
	}
	if points := (PairScores{Edges: []float64{1}, NonEdges: []float64{math.NaN()}}).Curve(0); len(points) != 2 {
		t.Errorf("0 steps give %v", points)
	}
}
