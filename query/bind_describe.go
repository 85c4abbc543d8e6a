package query

import "heavytail/query/parser"

// This file binds the statements that describe.

// describeOptions are the options of DESCRIBE GRAPH.
func describeOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "bootstrap", Type: "int", Default: "0", Doc: "synthetic data sets for the p-value of the power law; 2500 give it to 0.01, 0 leaves it out"},
		{Name: "seed", Type: "int", Default: "0", Doc: "the same seed gives the same p-value"},
	}
}

func (b *binder) describeGraphStatement(s *parser.DescribeGraph) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &describeGraphOp{req: DescribeGraphRequest{Graph: s.Graph.Name}}
	set, err := b.settings("DESCRIBE GRAPH", describeOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	op.req.Bootstrap, op.req.Seed = set.size("bootstrap"), set.seed()
	if err := checkBootstrap(op.req.Bootstrap); err != nil {
		return nil, err
	}
	op.info, err = b.graphInfo(s.Graph.Name, partGraph)
	return op, err
}
