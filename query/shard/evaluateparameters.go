package shard

import "heavytail/query/parser"

// evaluateParametersJob is EVALUATE PARAMETERS. A trial is the embedding with one value of one
// option. Embeddings that share a solve repeat it in each shard.
var evaluateParametersJob = job{
	form: "EVALUATE PARAMETERS …",
	take: func(s parser.Statement) divisible {
		if parameters, ok := unwrapped(s).(*parser.EvaluateParameters); ok {
			return trials{s, parameters, parameters.Graph.Name}
		}
		return nil
	},
}
