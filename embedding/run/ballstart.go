package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"heavytail/embedding"
	"heavytail/embedding/unitball"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file has the starts of unit_ball: the vectors that a run begins with. Only their
// directions are used.

// BallOptions are the options of unit_ball: those of package unitball, and the vectors that a run
// begins with, which take the place of their Start.
type BallOptions struct {
	unitball.Options
	Begin string // StartRandom, which empty is without From, embedding.MethodDeepWalk, embedding.MethodDPWalker or StartEmbedding
	From  string // the embedding of StartEmbedding, which it implies; of the same graph
	Least bool   // search for the smallest Dim in which no more than Tolerance pairs are wrong; it needs StartRandom

	began string // the embedding whose vectors Start has; empty for others
}

// What BallOptions can begin with, besides the vectors of a method with its defaults.
const (
	StartRandom    = "random"
	StartEmbedding = "embedding" // the vectors of the embedding From
)

var ballStarts = []string{StartRandom, embedding.MethodDeepWalk, embedding.MethodDPWalker, StartEmbedding}

func storedOf(db *storage.DB, snap *storage.Snapshot) Stored {
	return func(ctx context.Context, name string) (storage.EmbeddingInfo, *vec.Matrix, []uint32, error) {
		info, rows, err := db.Embedding(ctx, name)
		if err != nil {
			return info, nil, nil, err
		}
		if info.GraphID != snap.Info.ID {
			return info, nil, nil, fmt.Errorf("it belongs to graph %q: %w", info.Graph, storage.ErrInvalid)
		}
		from, err := snap.RowsOf(info)
		return info, rows, from, err
	}
}

// setStart computes the vectors that a run begins with, if they are not random.
func (o *BallOptions) setStart(ctx context.Context, g *csr.Graph, req Request, from ballPhase) (err error) {
	switch o.Begin {
	case StartRandom:
	case StartEmbedding:
		if req.Stored == nil {
			return &StartError{o.From, ErrNoStored}
		}
		info, rows, numbers, err := req.Stored(ctx, o.From)
		if err != nil {
			return &StartError{o.From, err}
		}
		return o.setStored(ctx, g, info, rows, numbers, req.Workers)
	default:
		w := o.walks(req.Workers)
		w.Progress, w.Checkpoints = req.Progress, ofPhase(req.Checkpoints, ballPhase{at: walking}, from)
		o.Start, err = startOf(ctx, g, o.Begin, w)
	}
	return err
}

func (o BallOptions) walks(workers int) embedding.WalkOptions {
	return embedding.WalkOptions{Dim: o.Dim, Seed: o.Seed, Workers: workers}
}

func startOf(ctx context.Context, g *csr.Graph, method string, o embedding.WalkOptions) (*vec.Matrix, error) {
	model, _, err := embedding.TrainWalks(ctx, g, method, o)
	if err != nil {
		return nil, err
	}
	return model.Vectors, nil
}

// setStored begins with the vectors of a stored embedding. If it has more dimensions, they
// are projected onto their leading principal axes; if it has fewer, random coordinates of
// the same size are added.
func (o *BallOptions) setStored(ctx context.Context, g *csr.Graph, info storage.EmbeddingInfo, rows *vec.Matrix, from []uint32, workers int) error {
	fitted, how, err := fitDim(ctx, rows, o.Dim, o.Seed, workers)
	if err != nil {
		return &StartError{o.From, err}
	}
	var missing int
	if o.Start, missing = startRows(g, fitted, from); missing > 0 {
		how += fmt.Sprintf("; %d of %d vertices have no vector there", missing, g.Vertices())
	}
	generation := info.Name // of a past generation, the name has its number
	if !info.Past {
		generation += fmt.Sprintf("@%d", info.Generation)
	}
	o.began = fmt.Sprintf("%s, of version %d of the graph, in %s", generation, info.GraphVersion, how)
	return nil
}

// fitDim returns vectors with dim coordinates, and describes how they were made. Coordinates
// that are added have the size of the given ones, so that the rows do not begin within a
// subspace.
func fitDim(ctx context.Context, m *vec.Matrix, dim int, seed uint64, workers int) (*vec.Matrix, string, error) {
	if m.Dim > dim {
		projected, err := embedding.Principal(ctx, m, dim, workers)
		return projected, fmt.Sprintf("%d dimensions projected onto %d", m.Dim, dim), err
	}
	if m.Dim == dim {
		return m, fmt.Sprintf("%d dimensions", dim), nil
	}
	wide := vec.NewMatrix(m.Rows, dim)
	random := rand.New(rand.NewPCG(seed, 1))
	for v := range m.Rows {
		row := wide.Row(v)
		copy(row, m.Row(v))
		size := norm(m.Row(v)) / math.Sqrt(float64(m.Dim))
		for i := m.Dim; i < dim; i++ {
			row[i] = float32(size * random.NormFloat64())
		}
	}
	return wide, fmt.Sprintf("%d dimensions with %d random ones added", m.Dim, dim-m.Dim), nil
}

// startRows returns the row of each vertex of g, and the number of vertices without one.
// These begin in the mean direction of their neighbours that have one; without such
// neighbours the row is 0, and its start is random.
func startRows(g *csr.Graph, m *vec.Matrix, from []uint32) (rows *vec.Matrix, missing int) {
	rows = vec.NewMatrix(len(from), m.Dim)
	for v, row := range from {
		if row != storage.NoRow {
			copy(rows.Row(v), m.Row(int(row)))
			continue
		}
		missing++
		for _, u := range g.Neighbors(uint32(v)) {
			if at := from[u]; at != storage.NoRow {
				if size := norm(m.Row(int(at))); size > 0 {
					vec.Axpy(float32(1/size), m.Row(int(at)), rows.Row(v))
				}
			}
		}
	}
	return rows, missing
}

func norm(x []float32) float64 { return math.Sqrt(float64(vec.Dot(x, x))) }
