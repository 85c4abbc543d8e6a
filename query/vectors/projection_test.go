package vectors_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// TestDB_Projection_Components expects only the largest component if the components were
// placed apart, and all of them otherwise.
func TestDB_Projection_Components(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	edges := "a b\nb c\nc d\nd a\na c\nx y\n"
	if _, err := db.Graphs().ImportReader(t.Context(), strings.NewReader(edges), graphs.ImportRequest{Graph: "two"}); err != nil {
		t.Fatal(err)
	}
	querytest.MustExec(t, db, "INSERT VERTEX 'a' (side := 'left'), 'c' (side := 'right') INTO two")
	querytest.MustExec(t, db, "EMBED two USING laplacian_eigenmaps(dim := 3, scale := 0) AS apart")
	querytest.MustExec(t, db, "EMBED two USING laplacian_eigenmaps(dim := 3, scale := 0, components := 'joint') AS joint")
	for _, c := range []struct {
		req  vectors.ProjectionRequest
		want string
	}{
		{vectors.ProjectionRequest{Embedding: "apart", Attribute: "side"}, "abcd"},
		{vectors.ProjectionRequest{Embedding: "apart", All: true}, "abcdxy"},
		{vectors.ProjectionRequest{Embedding: "joint"}, "abcdxy"},
	} {
		r, err := db.Vectors().Projection(t.Context(), c.req)
		if err != nil {
			t.Fatal(err)
		}
		keys, mean := "", 0.0
		for _, v := range r.Vertices {
			keys += v.Vertex
			mean += v.X
			if want := (v.Vertex == "a" || v.Vertex == "c") && c.req.Attribute != ""; v.Value.IsMissing() == want {
				t.Errorf("%+v: the value of %s is %v", c.req, v.Vertex, v.Value)
			}
		}
		if keys != c.want || r.LeftOut != 6-len(c.want) || math.Abs(mean) > 1e-4 {
			t.Errorf("%+v: vertices %s, %d left out, sum %v", c.req, keys, r.LeftOut, mean)
		}
		if share := r.Share[0] + r.Share[1]; share <= 0.5 || share > 1+1e-6 || r.Share[0] < r.Share[1] {
			t.Errorf("%+v: fractions %v", c.req, r.Share)
		}
	}
}

func TestDB_Projection_Errors(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "EMBED pa USING laplacian_eigenmaps(dim := 3) AS e")
	for _, req := range []vectors.ProjectionRequest{{Embedding: "f"}, {Embedding: "e", Attribute: "side"}} {
		if _, err := db.Vectors().Projection(t.Context(), req); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%+v: error %v, want ErrNotFound", req, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := db.Vectors().Projection(stopped, vectors.ProjectionRequest{Embedding: "e"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// TestDB_ReconstructedDegrees_Stored compares the degrees with those of the reconstruction
// that is stored as a graph.
func TestDB_ReconstructedDegrees_Stored(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "EMBED pa USING dp_spectral(dim := 16) AS e")
	querytest.MustExec(t, db, "RECONSTRUCT e AUTO INTO GRAPH again")
	got, err := db.Vectors().ReconstructedDegrees(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: "e"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := db.Graphs().Degrees(t.Context(), "again")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Degrees, want) || got.Graph != "pa" || got.Point.Edges == 0 {
		t.Errorf("degrees %v of %s, want %v", got.Degrees, got.Graph, want)
	}
	if _, err := db.Vectors().ReconstructedDegrees(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: "f"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
}
