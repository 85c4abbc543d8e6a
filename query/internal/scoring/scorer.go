package scoring

import (
	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/lists"
)

func UnknownScorer(scorer string, at fault.Part) error {
	e := fault.New(at, "unknown scorer %s", fault.Quote(scorer)).WithErr(link.ErrScorer).WithNearest(scorer, append(ScorerNames(), catalogue.ModelScorer), nil)
	if e.Nearest == "" {
		e.Remedy = "SHOW SCORERS lists them"
	}
	return e
}

func ScorerNames() []string {
	return lists.Map(link.Scorers(), func(s link.Scorer) string { return s.Name })
}

// NoTimes is the Error for a scorer that needs the times of edges, and a graph without any.
func NoTimes(graph, scorer string, at fault.Part) error {
	return fault.New(at, "%s needs the times of edges, and the edges of graph %s have none", scorer, fault.Name(graph)).
		WithRemedy("IMPORT them with the option time, or use resource_allocation").WithErr(link.ErrNeedsTimes)
}
