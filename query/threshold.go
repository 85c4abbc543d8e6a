package query

import (
	"math"

	"heavytail/index"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/parser"
)

func (b *binder) threshold(t parser.Threshold) (radius, epsilon float64) {
	if t.Kind == parser.Auto {
		b.Mark(fault.Threshold, t)
		return 0, 0
	}
	value := b.Value(fault.Threshold, t.Value)
	x, ok := value.(float64)
	if n, isInt := value.(int64); isInt {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		b.Fail(bind.Unexpected(fault.Threshold, value, "a number"))
	case t.Kind == parser.Radius:
		return x, 0
	case x == 0: // 0 means no epsilon in a request
		_, err := index.EpsilonToRadius(0)
		b.Fail(fault.New(fault.Threshold, "epsilon is 0, and must be above 0 and at most 0.5").WithErr(err))
	}
	return 0, x
}

// resolveThreshold returns the radius that a radius or an epsilon stands for.
func resolveThreshold(radius, epsilon float64, metric index.Metric) (float64, error) {
	if epsilon != 0 {
		r, err := index.EpsilonToRadius(epsilon)
		if err != nil {
			return 0, fault.New(fault.Threshold, "epsilon is %v, and must be above 0 and at most 0.5", epsilon).WithErr(err)
		}
		return r, nil
	}
	switch {
	case metric == index.L2 && radius < 0:
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be 0 or more", radius).WithErr(index.ErrRadius)
	case math.IsNaN(radius) || math.IsInf(radius, 0):
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be a finite number", radius).WithErr(index.ErrRadius)
	}
	return radius, nil
}
