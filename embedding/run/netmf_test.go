package run

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/storage"
)

// TestNetMF_Record expects the figures of the run in the record. If the matrix is too
// large, it expects an error that names other methods to use.
func TestNetMF_Record(t *testing.T) {
	t.Parallel()
	g := testgraph.RandomWeights(testgraph.Hubs(t, 60, 0.1, 3), 2, 5)
	rows, info, err := Compute(t.Context(), g, Request{Method: "netmf", Options: []option.Given{{Name: "dim", Value: 7}, {Name: "seed", Value: 4}}})
	if err != nil || rows.Dim != 7 || info.Seed != 4 || len(info.Eigenvalues) != 7 || len(info.Residuals) != 7 {
		t.Fatalf("%+v, %v", info, err)
	}
	names := []string{}
	for _, s := range info.Stats {
		names = append(names, s.Name)
	}
	if want := []string{"entries", "products", "converged", "reason", "weighted"}; !slices.Equal(names, want) {
		t.Errorf("statistics %v, not %v", names, want)
	}
	if i := slices.IndexFunc(info.Options, func(s storage.Setting) bool { return s.Name == "window" }); i < 0 || info.Options[i].Value != "10" {
		t.Errorf("options %v", info.Options)
	}
	if bytes, err := Bytes(g, "netmf", nil); err != nil || bytes < 8*60*60/4 {
		t.Errorf("%d bytes, %v", bytes, err)
	}
	_, _, err = Compute(t.Context(), g, Request{Method: "netmf", Options: []option.Given{{Name: "entries", Value: 99}}})
	if instead := Instead("netmf"); !errors.Is(err, embedding.ErrEntries) || instead == "" || !strings.Contains(err.Error(), "fastrp or deepwalk") {
		t.Errorf("99 entries: %v; instead %q", err, instead)
	}
	if instead := Instead("prone"); instead != "" {
		t.Errorf("instead of prone %q", instead)
	}
}
