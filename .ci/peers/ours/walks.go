package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/format/vectorfile"
)

// kept removes one edge in ten, and returns the graph and the removed edges. It
// keeps the last edge of every vertex.
func kept(g *csr.Graph) (*csr.Graph, []csr.Edge, error) {
	random := rand.New(rand.NewPCG(1, 2))
	degrees := make([]int, g.Vertices())
	for v := range degrees {
		degrees[v] = g.Degree(uint32(v))
	}
	var edges, held []csr.Edge
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if v < u {
				continue
			}
			e := csr.Edge{U: u, V: v}
			if random.IntN(10) == 0 && degrees[u] > 1 && degrees[v] > 1 {
				degrees[u]--
				degrees[v]--
				held = append(held, e)
			} else {
				edges = append(edges, e)
			}
		}
	}
	rest, err := csr.FromEdges(g.Vertices(), edges)
	return rest, held, err
}

// walks trains a method on the graph without the held out edges, at a learning
// rate, with a number of walks from a vertex, and writes the walks that it has
// learned from. beta is the degree penalty of dp_walker, over common neighbours. The rows are
// those that were trained, as gensim has them.
func (f folder) walks(method, alpha, beta, number string) error {
	o := embedding.WalkOptions{Beta: new(0.0), Common: new(1.0), RowNorm: new(0.0), RowScale: new(0.0), Epochs: 1, Seed: 1, Workers: runtime.GOMAXPROCS(0)}
	var errAlpha, errBeta, errWalks error
	o.Alpha, errAlpha = strconv.ParseFloat(alpha, 64)
	*o.Beta, errBeta = strconv.ParseFloat(beta, 64)
	o.Walks, errWalks = strconv.Atoi(number)
	if err := errors.Join(errAlpha, errBeta, errWalks); err != nil {
		return err
	}
	whole, err := f.graph()
	if err != nil {
		return err
	}
	g, _, err := kept(whole)
	if err != nil {
		return err
	}
	train := embedding.DeepWalk
	if method == embedding.MethodDPWalker {
		train = embedding.DPWalker
	}
	clock := startClock()
	m, stats, err := train(context.Background(), g, o)
	if err != nil {
		return err
	}
	clock.print(strconv.FormatFloat(float64(stats.Visits)/clock.spent().Seconds()/1e3, 'f', 0, 64))
	if err := writeNpy(f.path(method+".npy"), "<f4", m.Data, m.Rows, m.Dim); err != nil {
		return err
	}
	walks, err := embedding.NewWalks(context.Background(), g, method, o)
	if err != nil {
		return err
	}
	out, err := os.Create(f.path(method + ".walks"))
	if err != nil {
		return err
	}
	key := func(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
	return errors.Join(vectorfile.WriteWalks(context.Background(), out, walks.Vertices, walks.Walks, key, walks.Append), out.Close())
}

// steps walks for half a second and prints how many millions of steps were made in
// a second of processor time. The tables of the walks are made before.
func (f folder) steps(method, beta string) error {
	penalty, err := strconv.ParseFloat(beta, 64)
	if err != nil {
		return err
	}
	g, err := f.graph()
	if err != nil {
		return err
	}
	walks, err := embedding.NewWalks(context.Background(), g, method, embedding.WalkOptions{Beta: &penalty, Common: new(1.0), Epochs: 1, Workers: 1})
	if err != nil {
		return err
	}
	var walk []uint32
	steps := 0
	clock := startClock()
	for i := 0; clock.spent() < time.Second/2; i++ {
		for range 1000 {
			walk = walks.Append(walk[:0], i%walks.Walks)
			steps += len(walk) - 1
			i++
		}
	}
	fmt.Printf("%.1f\n", float64(steps)/clock.spent().Seconds()/1e6)
	return nil
}

// judge prints the best Pearson correlation between the degrees of the graph and
// those of a reconstruction from the vectors, the Spearman correlation of that
// reconstruction, and the AUC of the cosine for the held out edges against as many
// pairs without an edge.
func (f folder) judge(vectors string) error {
	whole, err := f.graph()
	if err != nil {
		return err
	}
	g, held, err := kept(whole)
	if err != nil {
		return err
	}
	m, err := f.vectors(vectors)
	if err != nil {
		return err
	}
	best, points, err := evaluate.ReconstructSweep(context.Background(), g, m, evaluate.ReconstructOptions{})
	if err != nil {
		return err
	}
	score, err := link.New("cosine", nil, m)
	if err != nil {
		return err
	}
	fmt.Printf("%.4f %.4f %.4f\n", points[best].Pearson, points[best].Spearman, auc(whole, held, score))
	return nil
}

// auc returns the probability that a held out edge has a higher score than a pair
// without an edge.
func auc(g *csr.Graph, held []csr.Edge, score func(u, v uint32) float64) float64 {
	type scored struct {
		score float64
		edge  bool
	}
	random := rand.New(rand.NewPCG(3, 4))
	var all []scored
	for _, e := range held {
		all = append(all, scored{score(e.U, e.V), true})
		for {
			u, v := random.Uint32N(uint32(g.Vertices())), random.Uint32N(uint32(g.Vertices()))
			if u != v && !g.HasEdge(u, v) {
				all = append(all, scored{score(u, v), false})
				break
			}
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	below, ordered := 0.0, 0.0
	for _, s := range all {
		if s.edge {
			ordered += below
		} else {
			below++
		}
	}
	return ordered / below / float64(len(held))
}
