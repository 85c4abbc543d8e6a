package scoring

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
)

// MaxTraining prevents a typing error from asking for more memory than any
// machine has.
const MaxTraining = 100_000_000

// CheckLinkGraph returns an Error for a graph from which no edges can be held
// out.
func CheckLinkGraph(c *engine.Call, graph string, unseen, latest bool) error {
	info, err := c.GraphInfo(graph, fault.Graph)
	if err != nil {
		return err
	}
	kept := int64(1)
	if unseen {
		kept = 2
	}
	reason := ""
	switch free := float64(info.Vertices)*float64(info.Vertices-1)/2 - float64(info.Edges); {
	case info.Edges <= kept:
		reason = fmt.Sprintf("has %s; holding out edges needs at least %d", fault.Count(info.Edges, "edge"), kept+1)
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

// untimed is the Error for the latest edges of a graph without timestamps.
func untimed(graph string) error {
	return fault.New(fault.Option("latest"), "graph %s has no timestamps", fault.Quote(graph)).WithErr(evaluate.ErrTimes)
}

func FeatureNames() []string {
	return lists.Map(link.Features(), func(f link.Feature) string { return f.Name })
}
