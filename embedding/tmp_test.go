package embedding

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
	"time"
	"strings"
	"strconv"

	"heavytail/embedding/eigen"
)

func TestTmp(t *testing.T) {
	spec := os.Getenv("TMPSPEC")
	if spec == "" { t.Skip("no spec") }
	var ref map[string]map[string]json.RawMessage
	b, _ := os.ReadFile("/work/shared/reference/eigenvalues.json")
	json.Unmarshal(b, &ref)
	for _, sp := range strings.Split(spec, ",") {
		f := strings.Fields(sp)
		g := largestComponent(realGraph(t, f[0]))
		m := method{}
		key := "le"
		if f[1] != "le" {
			beta, _ := strconv.ParseFloat(f[2], 64)
			m = method{twoHops: true, strength: f[1] == "strength", beta: beta}
			key = fmt.Sprintf("%s beta=%.1f", f[1], beta)
		}
		w := 1
		if s := os.Getenv("W"); s != "" { w, _ = strconv.Atoi(s) }
		k := 200
		if s := os.Getenv("K"); s != "" { k, _ = strconv.Atoi(s) }
		op, err := newOperator(g, m, w)
		if err != nil { t.Fatal(err) }
		start := time.Now()
		var proj eigen.Operator = op
		kk := k
		if m.unitTop() { proj = newDeflated(op, nil); kk-- }
		r, err := eigen.Solve(context.Background(), proj, eigen.Options{K: kk, Gathers: op.gathers(), Workers: w, Seed: 1})
		if err != nil { t.Fatal(err) }
		sec := time.Since(start).Seconds()
		vals := r.Values
		for i := range vals { vals[i] *= op.factor }
		if m.unitTop() { vals = append([]float64{1}, vals...) }
		name := f[0]
		if name == "ca-GrQc" { name += "-largest-component" }
		worst, at := 0.0, 0
		if raw, ok := ref[name][key]; ok && k == 200 {
			var lam []float64
			json.Unmarshal(raw, &lam)
			for i, v := range lam {
				if e := math.Abs(vals[i]-v) / math.Abs(v); e > worst { worst, at = e, i }
			}
		} else { worst = math.NaN() }
		mr := 0.0
		for _, x := range r.Residuals { mr = max(mr, x*op.factor/vals[0]) }
		fmt.Printf("%-14s %-18s %.3fs restarts %d products %d degree %d conv %v maxres %.2g eigerr %.2g@%d  λ1 %.5g λ_k %.6g\n", f[0], key, sec, r.Restarts, r.Products, r.Degree, r.Converged, mr, worst, at, vals[0], vals[k-1])
	}
}
