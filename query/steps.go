package query

import (
	"fmt"
	"strings"

	"heavytail/query/parser"
)

// This file says of every operation in which steps it is answered. Nothing here
// can fail: the operations are bound.

// step makes a plan without a measurement of its own.
func step(name, detail string, inputs ...*Plan) *Plan {
	return &Plan{Step: name, Detail: detail, Inputs: inputs}
}

// measuredStep is a step that PROFILE has figures for, under key.
func measuredStep(key, name, detail string, inputs ...*Plan) *Plan {
	return &Plan{Step: name, Detail: detail, Inputs: inputs, key: key}
}

// result is the last step of every statement.
func result(name, detail string, inputs ...*Plan) *Plan {
	return measuredStep(stepResult, name, detail, inputs...)
}

// plan of a graph in memory.
func (g *graphView) plan() *Plan {
	detail := fmt.Sprintf("%s, version %d, %s, %s", name(g.Info.Name), g.Info.Version,
		count(int64(g.Info.Vertices), "vertex"), count(g.Info.Edges, "edge"))
	return measuredStep("graph "+g.Info.Name, "graph", detail)
}

// plan of an embedding in memory.
func (s *space) plan() *Plan {
	age := "up to date with"
	if s.behind > 0 {
		age = count(int64(s.behind), "version") + " behind"
	}
	detail := fmt.Sprintf("%s, generation %d, %d × %d, %s, %s graph %s", name(s.info.Name), s.info.Generation,
		s.rows(), s.info.Dim, s.info.Method, age, name(s.info.Graph))
	return measuredStep("embedding "+s.info.Name, "embedding", detail)
}

func (o *createGraphOp) plan() *Plan { return result("create graph", name(o.graph)) }

func (o *dropGraphOp) plan() *Plan {
	if o.cascade {
		return result("drop graph", name(o.graph)+" and its embeddings and models")
	}
	return result("drop graph", name(o.graph))
}

func (o *dropEmbeddingOp) plan() *Plan { return result("drop embedding", name(o.embedding)) }

func (o *describeGraphOp) plan() *Plan {
	fit := "discrete, by maximum likelihood"
	if o.req.Bootstrap > 0 {
		fit += fmt.Sprintf("; p from %s", count(int64(o.req.Bootstrap), "synthetic data set"))
	}
	return result("description", "of graph "+name(o.info.Name),
		measuredStep("statistics", "statistics", "degrees, components, triangles, assortativity, packing; kept with the graph", graphInfoPlan(o.info)),
		measuredStep("power law", "power law", fit))
}

func (o *describeEmbeddingOp) plan() *Plan {
	return result("description", "of embedding "+name(o.info.Name)+", from the catalogue")
}

func (o *showOp) plan() *Plan { return result("list", strings.ToLower(string(o.what))) }

func (o *embedOp) plan() *Plan {
	return result("embedding", fmt.Sprintf("%s, generation %d", name(o.req.Name), o.found.generation),
		measuredStep(stepSolve, "method", o.text,
			o.found.graph.plan()))
}

func (o *nearestOp) plan() *Plan {
	order := "nearest first"
	if o.req.Metric.Similarity() {
		order = "most similar first"
	}
	detail := fmt.Sprintf("%d by %s, %s, ties by vertex", o.req.K, o.req.Metric, order)
	if o.req.Fresh {
		return result("nearest", detail, measuredStep(stepScan, "exact scan", "of the embedding as it is then",
			measuredStep(stepSolve, "refresh", "embedding "+name(o.req.Embedding))))
	}
	return result("nearest", detail, o.found.plan(o.where))
}

func (o *withinOp) plan() *Plan {
	bound := "distance at most"
	if o.req.Metric.Similarity() {
		bound = o.req.Metric.String() + " at least"
	}
	detail := fmt.Sprintf("%s %.6g (%s), ties by vertex", bound, o.found.radius, o.threshold)
	if o.req.Limit > 0 {
		detail += fmt.Sprintf(", the first %d", o.req.Limit)
	}
	return result("within", detail, o.found.plan(o.where))
}

// plan of a search: a scan of all vectors, with its filter.
func (s *search) plan(where parser.Expr) *Plan {
	from := s.from()
	inputs := append(s.columns.plans(), s.space.plan(), s.space.graph.plan())
	if where != nil {
		inputs = append([]*Plan{step("filter", "during the scan: "+where.String())}, inputs...)
	}
	if s.index != nil {
		return measuredStep(stepScan, "index search", fmt.Sprintf("%s from %s, %s", s.metric, from, settingsText(s.index.Parameters)), inputs...)
	}
	return measuredStep(stepScan, "exact scan", fmt.Sprintf("%s from %s", s.metric, from), inputs...)
}

func (o *reconstructOp) plan() *Plan {
	var radii string
	if o.req.Auto {
		radii = radiiText(o.req.Grid, o.req.Criterion)
	} else {
		radii = fmt.Sprintf("distance at most %.6g (%s)", o.found.radius, o.threshold)
	}
	s := o.found.space
	join := measuredStep(stepJoin, "exact join", radii, s.plan(), s.graph.plan())
	measures := "degree correlations, precision and recall"
	switch {
	case o.req.Graph != "":
		return result("reconstruction", measures, measuredStep(stepStore, "store", "graph "+name(o.req.Graph), join))
	case o.req.File != "":
		return result("reconstruction", measures, measuredStep(stepWrite, "edge list", "to "+quote(o.req.File), join))
	}
	return result("reconstruction", measures, join)
}

func (o *scoreOp) plan() *Plan {
	return result("scores", count(int64(len(o.req.Pairs)), "pair"), o.found.plan())
}

func (o *scoreFileOp) plan() *Plan {
	scores := o.found.plan()
	scores.Inputs = append([]*Plan{step("pairs", quote(inputName(o.req.Path))+", 4096 at a time")}, scores.Inputs...)
	if o.req.Into != "" {
		return result("CSV file", "to "+quote(o.req.Into), scores)
	}
	return result("scores", "streamed in the order of the file", scores)
}

// plan of scoring: the scorers and what they read.
func (s *scoring) plan() *Plan {
	var inputs []*Plan
	for _, sp := range s.spaces {
		inputs = append(inputs, sp.plan())
	}
	return measuredStep(stepScore, "score", strings.Join(s.columns(), ", "), append(inputs, s.graph.plan())...)
}

func (o *helpOp) plan() *Plan { return result("help", strings.Join(o.topic, " ")) }

func (o *explainOp) plan() *Plan { return o.inner.plan() }
