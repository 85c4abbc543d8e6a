package algorithms

import (
	"context"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// LabelOptions sets how LabelPropagation works. The zero value works.
type LabelOptions struct {
	Work
	Unweighted bool   // ignore the weights
	Seed       uint64 // of the order of the vertices and of ties
}

// maxRounds bounds the rounds of label propagation. Some five are enough for most
// vertices, and ties that never end are cut off.
const maxRounds = 100

// LabelPropagation finds communities faster than Leiden and worse: each vertex takes
// again and again the label that most of its edges lead to, until every vertex has one
// of these (Raghavan, Albert and Kumara, "Near Linear Time Algorithm to Detect Community
// Structures", 2007). A vertex keeps its label where that is one of several, and is looked
// at again when a neighbour has taken another (Traag and Šubelj, "Large Network Community
// Detection by Fast Label Propagation", 2023). Unlike with Leiden, a community need not be
// connected. It takes O(m) a round, and 30 bytes per vertex and at most 60 per
// vertex and worker.
func LabelPropagation(ctx context.Context, g *csr.Graph, opts LabelOptions) (Communities, error) {
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Communities{}, err
	}
	n := g.Vertices()
	report := opts.reporter("communities", maxRounds)
	p := &propagation{at: newLevel(g, opts.Work, true), labels: identity(n), seed: opts.Seed}
	order := shuffled(rand.New(rand.NewPCG(opts.Seed, 0x1abe1)), n)
	w := newWorklist(opts.Work, p.at, p.labels)
	w.report = report
	rounds, _, err := w.run(ctx, order, maxRounds, p)
	if err != nil {
		return Communities{}, err
	}
	report(maxRounds)
	c := communities(p.labels)
	c.Iterations = rounds
	c.Modularity = modularity(g, c.Label, len(c.Sizes), 1)
	return c, nil
}

// propagation moves vertices to the label of the largest weight.
type propagation struct {
	at     *level
	labels []uint32
	seed   uint64
}

func (p *propagation) propose(near *neighborhood, v uint32, round int) proposal {
	near.around(p.at, v, p.labels)
	own := p.labels[v]
	kept := near.weight(own)
	most, ties := kept, 0
	for _, w := range near.weights {
		most = max(most, w)
	}
	least := most - most*p.at.tie
	if kept >= least {
		return proposal{to: own}
	}
	for _, w := range near.weights {
		if w >= least {
			ties++
		}
	}
	chosen := int(rand.NewPCG(p.seed^uint64(round), uint64(v)).Uint64() % uint64(ties))
	for i, c := range near.groups {
		if near.weights[i] >= least {
			if chosen == 0 {
				return proposal{to: c}
			}
			chosen--
		}
	}
	panic("measure: no label of the largest weight")
}

// settle always moves: what neighbours have decides alone, and none has moved.
func (p *propagation) settle(v uint32, to proposal) bool {
	moved := p.labels[v] != to.to
	p.labels[v] = to.to
	return moved
}
