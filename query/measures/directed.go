package measures

import (
	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// This file has the measures that are about direction. In an undirected graph, whose edges lead to both
// ends, they are what their definition gives there.

// sided is the degree or strength of one direction.
func sided(name, summary, words string, reversed bool) Measure {
	return Measure{Name: name + "_degree", Words: words, Summary: "number of edges " + summary + "; in an undirected graph the degree", Type: storage.Integer,
		Directed: "edges " + summary, bytes: perVertex(8), seconds: takes(algorithms.Estimator.Visit),
		run: func(m measuring) (measured, error) {
			if m.reversed = reversed; m.d != nil {
				return measured{integers: algorithms.OutDegree(m.along())}, nil
			}
			return measured{integers: algorithms.Degree(m.g)}, nil
		}}
}

func sidedStrength(name, summary string, reversed bool) Measure {
	return Measure{Name: name + "_strength", Words: "weighted degree", defaults: options{useWeights: true}, Summary: "sum of the weights of the edges " + summary + "; in an undirected graph the strength", Type: storage.Float, Weights: tieWeights,
		Directed: "edges " + summary, bytes: perVertex(8), seconds: takes(algorithms.Estimator.Visit),
		run: func(m measuring) (r measured, err error) {
			if m.reversed = reversed; m.d != nil {
				r.scores.Values, err = algorithms.OutStrength(m.along(), m.Work)
			} else {
				r.scores.Values, err = algorithms.Strength(m.g, m.Work)
			}
			return r, err
		}}
}

func directionList() []Measure {
	const to, from = "to the vertex", "from the vertex"
	return []Measure{
		sided("in", to, "indegree followers citations popularity", true), sided("out", from, "outdegree following references", false),
		sidedStrength("in", to, true), sidedStrength("out", from, false),
	}
}

func hitsList() []Measure {
	hits := func(name, words, summary string, which func(hubs, authorities algorithms.Scores) algorithms.Scores) Measure {
		return Measure{Name: name, Words: words, Summary: summary, Type: storage.Float, Weights: tieWeights, Directed: "edges lead from hubs to authorities",
			defaults: options{tolerance: 1e-10, useWeights: true},
			schema:   option.Schema[options]{toleranceOption("largest residual, relative to the eigenvalue"), tiesOption()}, bytes: tiled(2, perVertex(200)), seconds: takes(algorithms.Estimator.Eigenvector),
			run: func(m measuring) (measured, error) {
				d := m.d
				if d == nil { // each edge leads to both ends
					rows := csr.Rows{Offsets: m.g.Offsets, Targets: m.g.Targets, Weights: m.g.Weights}
					d = &csr.Directed{Out: rows, In: rows}
				}
				hubs, authorities, err := algorithms.Hits(m, d, algorithms.EigenvectorOptions{Work: m.Work, Unweighted: !m.useWeights, Tolerance: m.tolerance})
				return ofScores(which(hubs, authorities), err)
			}}
	}
	return []Measure{
		hits("authority", "hits kleinberg authorities important", "how good the hubs are from which edges lead to the vertex (HITS); the values add up to 1",
			func(_, authorities algorithms.Scores) algorithms.Scores { return authorities }),
		hits("hub", "hits kleinberg hubs directory", "how good the authorities are to which edges lead from the vertex (HITS); the values add up to 1",
			func(hubs, _ algorithms.Scores) algorithms.Scores { return hubs }),
	}
}
