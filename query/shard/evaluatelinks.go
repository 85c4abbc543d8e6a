package shard

import "heavytail/query/parser"

// evaluateLinksJob is EVALUATE LINKS. A trial is a split, or the null graph after the splits, with
// the scorers that need no vectors or with one method: each split holds out edges by its own seed.
var evaluateLinksJob = job{
	form: "EVALUATE LINKS …",
	take: func(s parser.Statement) divisible {
		if links, ok := unwrapped(s).(*parser.EvaluateLinks); ok {
			return trials{s, links, links.Graph.Name}
		}
		return nil
	},
}
