package graphs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/storage/csr"
)

// TestDerive_Scale makes graphs from one whose weights are multiplied: they have the same edges, and
// the multiplied weights. The figures of an embedding of it are the same.
func TestDerive_Scale(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	edges := randomEdges(3, 60, 300)
	scales := map[string]float64{"one": 1, "small": 0x1p-80, "large": 0x1p60}
	derivations := []string{
		"SUBGRAPH OF % WHERE degree >= 5", "COMPONENT OF %", "COMPONENT OF % FROM 'v1'", "NULL OF %", "UNION OF %, %more WITH (repeated := 'sum')",
		"NEAREST 3 USING %e",
	}
	for _, how := range []string{string(graphs.SampleVertices), string(graphs.SampleEdges), string(graphs.SampleForestFire)} {
		of := "vertices"
		if how == string(graphs.SampleEdges) {
			of = "edges"
		}
		derivations = append(derivations, "SAMPLE OF % WITH (method := '"+how+"', "+of+" := 20, seed := 1)")
	}
	for name, by := range scales {
		scaled := slices.Clone(edges)
		for i := range scaled {
			scaled[i].Weight *= by
		}
		querytest.StoreEdges(t, db, name, scaled)
		querytest.StoreEdges(t, db, name+"more", scaled[:50])
		querytest.MustExec(t, db, "EMBED "+name+" USING dp_spectral(dim := 6) AS "+name+"e")
	}
	for i, derivation := range derivations {
		var want map[[2]string]graphs.EdgeRow
		for _, name := range []string{"one", "small", "large"} {
			made := fmt.Sprint(name, i)
			querytest.MustExec(t, db, "CREATE GRAPH "+made+" AS "+strings.ReplaceAll(derivation, "%", name))
			got := storedEdges(t, db, made)
			if want == nil {
				want = got
			}
			by := scales[name]
			if strings.HasPrefix(derivation, "NULL") || strings.HasPrefix(derivation, "NEAREST") {
				by = 1 // no weights of the graph
			}
			if len(got) != len(want) || len(got) == 0 {
				t.Errorf("%s: %d edges, want %d", derivation, len(got), len(want))
			}
			for ends, e := range want {
				if other, there := got[ends]; !there || other.Weight != csr.Decimal(float32(e.Weight*by)) {
					t.Errorf("%s of %s: edge %v has %v, want %v times %v", derivation, name, ends, other.Weight, e.Weight, by)
				}
			}
		}
	}
	for _, text := range []string{"EVALUATE RECONSTRUCTION OF %e", "NEAREST 5 TO 'v1' USING %e"} {
		want := queryTable(t, db, strings.ReplaceAll(text, "%", "one"))
		for _, name := range []string{"small", "large"} {
			got := queryTable(t, db, strings.ReplaceAll(text, "%", name))
			if given, wanted := strings.ReplaceAll(fmt.Sprint(got), name, "one"), fmt.Sprint(want); given != wanted {
				t.Errorf("%s of %s: %s, want %s", text, name, given, wanted)
			}
		}
	}
}
