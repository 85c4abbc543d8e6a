package scoring

import (
	"errors"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/storage/csr"
)

// MaxTraining prevents a typing error from asking for more memory than any
// machine has.
const MaxTraining = 100_000_000

// CheckLinkGraph returns an Error for a graph from which no edges can be held
// out, along with their direction.
func CheckLinkGraph(c *engine.Call, graph string, along, unseen, latest bool) error {
	info, err := c.GraphInfo(graph, fault.Graph)
	if err != nil {
		return err
	}
	kept := int64(1)
	if unseen {
		kept = 2
	}
	reason := ""
	edges, pairs := info.Edges, float64(info.Vertices)*float64(info.Vertices-1)/2
	if along {
		edges, pairs = info.Arcs, 2*pairs
	}
	switch free := pairs - float64(edges); {
	case edges <= kept:
		reason = fmt.Sprintf("has %s; holding out edges needs at least %d", fault.Count(edges, "edge"), kept+1)
	case free < 2:
		reason = fmt.Sprintf("has %s of vertices without an edge; held-out edges are compared with at least 2 such pairs", fault.Count(int64(free), "pair"))
	}
	if reason != "" {
		return fault.New(fault.Graph, "graph %s %s", fault.Quote(graph), reason).WithErr(evaluate.ErrLinks)
	}
	if latest && !info.Timed {
		return untimed(graph)
	}
	return nil
}

const latestOption = "latest"

// LatestField is the option latest of EVALUATE LINKS, TRAIN MODEL and TUNE. when ends its explanation.
func LatestField[O any](when string, at func(*O) **bool) option.Field[O] {
	return option.BoolOrNil(latestOption, "hold out the edges with the latest timestamps if the graph has any, otherwise edges at random"+when, at).OrElse(true)
}

// untimed is the Error for the latest edges of a graph without timestamps.
func untimed(graph string) error {
	return fault.New(fault.Option(latestOption), "graph %s has no timestamps", fault.Quote(graph)).WithErr(evaluate.ErrTimes)
}

// FeatureNames lists the features of pairs of vectors.
func FeatureNames() []string {
	return lists.Map(link.Features(), func(f link.Feature) string { return f.Name })
}

// UnknownScorer is the Error for a name that no scorer has.
func UnknownScorer(scorer string, at fault.Part) error {
	e := fault.New(at, "unknown scorer %s", fault.Quote(scorer)).WithErr(link.ErrScorer).WithNearest(scorer, append(ScorerNames(), catalogue.ModelScorer), nil)
	if e.Nearest == "" {
		e.Remedy = "SHOW SCORERS lists them"
	}
	return e
}

// ScorerNames lists the scorers.
func ScorerNames() []string {
	return lists.Map(link.Scorers(), func(s link.Scorer) string { return s.Name })
}

// NoTimes is the Error for a scorer that needs the times of edges, and a graph without any.
func NoTimes(graph, scorer string, at fault.Part) error {
	return fault.New(at, "%s needs the times of edges, and the edges of graph %s have none", scorer, fault.Name(graph)).
		WithRemedy("IMPORT them with the option time, or use resource_allocation").WithErr(link.ErrNeedsTimes)
}

// NearField is the option near, the number of nearest vertices that are candidates: 0 is its default
// in a request, and −1 none.
func NearField[O any](doc string, at func(*O) *int) option.Field[O] {
	return option.Int("near", doc, at).OrElse(evaluate.DefaultRankNear).Between(0, 1<<20).ZeroIs(-1)
}

// TrainingMistake converts the error for a graph from which nothing can be learned to an
// Error at the graph.
func TrainingMistake(err error) error {
	at := fault.Graph
	switch {
	case errors.Is(err, evaluate.ErrNegatives):
		at = fault.Option(engine.NegativesOption)
	case errors.Is(err, link.ErrNeedsTimes):
		return fault.New(at, "the remaining edges have no times, which a heuristic needs").
			WithRemedy("hold out fewer, or set " + option.Given{Name: latestOption, Value: false}.String()).WithErr(err)
	case !errors.Is(err, link.ErrTooFew) && !errors.Is(err, evaluate.ErrLinks):
		return err
	}
	return fault.New(at, "%v", err).WithErr(err)
}

// DirectedNullGraph returns a random directed graph with the same in-degrees and out-degrees.
func DirectedNullGraph(c *engine.Call, d *csr.Directed, seed uint64) (*csr.Directed, error) {
	null, err := algorithms.DirectedExchange(c.Ctx, d, algorithms.ExchangeOptions{Work: algorithms.Work{Progress: c.Meter.Update}, Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("random graph with the same degrees: %w", err)
	}
	return null, nil
}

// NullGraph returns a random graph with the same degrees.
func NullGraph(c *engine.Call, view *session.Graph, seed uint64) (*csr.Graph, error) {
	g, err := algorithms.Exchange(c.Ctx, view.Graph, algorithms.ExchangeOptions{Work: algorithms.Work{Progress: c.Meter.Update}, Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("random graph with the same degrees: %w", err)
	}
	return g, nil
}
