package storage

import (
	"math/rand/v2"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/sample"
)

// anyValue is sample.Value as a Value.
func anyValue(random *rand.Rand, kind Type) Value {
	switch x := sample.Value(random, kind.String()).(type) {
	case string:
		return TextValue(x)
	case int64:
		return IntegerValue(x)
	case float64:
		return FloatValue(x)
	case bool:
		return BooleanValue(x)
	}
	return Value{}
}

// arcsOfGraph lists the arcs of a graph.
func arcsOfGraph(g *csr.Graph) []block.ArcValue {
	var list []block.ArcValue
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			a := block.ArcValue{Arc: block.NewArc(u, v), Weight: 1, Time: csr.NoTime}
			if g.Weights != nil {
				a.Weight = g.WeightsOf(u)[i]
			}
			if g.Times != nil {
				a.Time = g.Times[g.Offsets[u]+int64(i)]
			}
			list = append(list, a)
		}
	}
	return list
}

// keysOf is a set of keys in their order.
func keysOf(list [][]byte) block.KeySet {
	keys := block.NewKeySet(len(list))
	for _, key := range list {
		keys.Add(key)
	}
	return keys
}
