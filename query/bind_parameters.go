package query

import (
	"strings"

	"heavytail/query/parser"
)

// This file has EVALUATE PARAMETERS as a statement.

// studiedOptions are the options that a study can vary, with what they are.
var studiedOptions = []struct{ name, doc string }{
	{"dim", "numbers of coordinates"},
	{"beta", "degree penalties"},
	{"scale", "powers of the eigenvalues"},
	{"row_scale", "powers of the degrees"},
}

// parametersOptions are the options of EVALUATE PARAMETERS.
func parametersOptions() []OptionInfo {
	var list []OptionInfo
	for _, o := range studiedOptions {
		list = append(list, OptionInfo{Name: o.name, Type: "text", Default: "''", Doc: o.doc + " to take one after the other, with commas between"})
	}
	for _, o := range sweepOptions("each") {
		if o.Name != "sweep" {
			list = append(list, o)
		}
	}
	return list
}

func (b *binder) evaluateParametersStatement(s *parser.EvaluateParameters) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &evaluateParametersOp{req: EvaluateParametersRequest{Graph: s.Graph.Name, Method: s.Method.Name.Name}, text: s.Method.String()}
	var err error
	// Mistakes of the method are found before the marks of the other list, which may
	// have the same names, take their places.
	if op.given, err = b.methodCall(s.Method); err != nil {
		return nil, err
	}
	set, err := b.settings("EVALUATE PARAMETERS", parametersOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	var sweep ReconstructRequest
	if err := sweepSettings(&sweep, set); err != nil {
		return nil, err
	}
	op.req.Grid, op.req.Points, op.req.Criterion = sweep.Grid, sweep.Points, sweep.Criterion
	for _, o := range studiedOptions {
		values, err := numbersIn(o.name, set.text(o.name))
		if err != nil {
			return nil, err
		}
		if values != nil {
			op.req.Vary = append(op.req.Vary, Variation{o.name, values})
		}
	}
	op.found, err = b.resolveEvaluateParameters(op.req, op.given)
	return op, err
}

type evaluateParametersOp struct {
	req   EvaluateParametersRequest
	given []setting
	found *study
	text  string // the method in the language
}

func (o *evaluateParametersOp) exec(c *call) (*Rows, error) {
	r, err := c.evaluateParameters(o.req, o.given)
	if err != nil {
		return nil, err
	}
	table := make([][]Value, len(r.Points))
	for i, p := range r.Points {
		table[i] = append([]Value{p.Option, p.Value}, evaluationRow(p.ReconstructionPoint)...)
	}
	columns := []string{"option", "value", "epsilon", "radius", "edges", "pearson", "spearman", "kendall", "alpha", "xmin", "ks", "precision", "recall"}
	return rowsOf(columns, table), nil
}

func (o *evaluateParametersOp) plan() *Plan {
	var axes []string
	for _, axis := range o.found.axes {
		axes = append(axes, axis.Option+" at "+count(int64(len(axis.Values)), "value"))
	}
	return result("evaluation", "the best reconstruction for each value, by "+criteria()[o.req.Criterion],
		measuredStep(stepSolve, "method", o.text+", "+strings.Join(axes, ", "), o.found.graph.plan()))
}
