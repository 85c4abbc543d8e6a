package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"heavytail/index"
	"heavytail/query/parser"
)

// operation is a bound statement: a typed request, and what its names stand
// for. It can be planned, which cannot fail, and executed.
type operation interface {
	plan() *Plan
	exec(c *call) (*Rows, error)
}

// binder turns one syntax tree into an operation. The call remembers which text
// every piece of the request came from, so that an error about the piece can be
// given its position.
type binder struct {
	*call
	params map[string]any
}

// bind resolves every name, parameter and option of a statement. All mistakes
// of the user are found here, with their positions; what can still go wrong in
// exec are limits, cancellation, the file, and the contents of other files.
func (c *call) bind(statement parser.Statement, params map[string]any) (operation, error) {
	c.at = map[part]parser.Range{}
	b := &binder{call: c, params: params}
	return b.statement(statement)
}

// mark remembers where a piece of the request came from.
func (b *binder) mark(at part, node parser.Node) { b.at[at] = node.Source() }

// statement binds by kind.
func (b *binder) statement(statement parser.Statement) (operation, error) {
	switch s := statement.(type) {
	case *parser.CreateGraph:
		b.mark(partGraph, s.Graph)
		return &createGraphOp{s.Graph.Name}, b.checkCreate(s.Graph.Name)
	case *parser.DropGraph:
		b.mark(partGraph, s.Graph)
		return &dropGraphOp{s.Graph.Name, s.Cascade}, b.checkDropGraph(s.Graph.Name, s.Cascade)
	case *parser.DropEmbedding:
		b.mark(partEmbedding, s.Embedding)
		if err := b.writable(); err != nil {
			return nil, err
		}
		_, err := b.embeddingInfo(s.Embedding.Name, partEmbedding)
		return &dropEmbeddingOp{s.Embedding.Name}, err
	case *parser.AutoRefresh:
		return b.autoRefreshStatement(s)
	case *parser.CreateIndex:
		return b.createIndexStatement(s)
	case *parser.DropIndex:
		return b.dropIndexStatement(s)
	case *parser.DropAttribute:
		return b.dropAttributeStatement(s)
	case *parser.InsertVertices:
		return b.insertVerticesStatement(s)
	case *parser.InsertEdges:
		return b.insertEdgesStatement(s)
	case *parser.UpdateVertices:
		return b.updateVerticesStatement(s)
	case *parser.UpdateEdges:
		return b.updateEdgesStatement(s)
	case *parser.DeleteVertices:
		return b.deleteVerticesStatement(s)
	case *parser.DeleteEdges:
		return b.deleteEdgesStatement(s)
	case *parser.DeleteEdgesFile:
		return b.deleteEdgesFileStatement(s)
	case *parser.Import:
		return b.importStatement(s)
	case *parser.ImportVertices:
		return b.importVerticesStatement(s)
	case *parser.ExportGraph:
		return b.exportGraphStatement(s)
	case *parser.ExportVertices:
		return b.exportVerticesStatement(s)
	case *parser.ExportWalks:
		return b.exportWalksStatement(s)
	case *parser.ExportEmbedding:
		return b.exportEmbeddingStatement(s)
	case *parser.Generate:
		return b.generateStatement(s)
	case *parser.DescribeGraph:
		return b.describeGraphStatement(s)
	case *parser.DescribeVertex:
		return b.describeVertexStatement(s)
	case *parser.DescribeEmbedding:
		b.mark(partEmbedding, s.Embedding)
		info, err := b.embeddingInfo(s.Embedding.Name, partEmbedding)
		return &describeEmbeddingOp{info}, err
	case *parser.Show:
		return &showOp{s.What}, nil
	case *parser.ShowVertices:
		return b.showVerticesStatement(s)
	case *parser.ShowNeighbors:
		return b.showNeighborsStatement(s)
	case *parser.ShowAttributes:
		return b.showAttributesStatement(s)
	case *parser.Embed:
		return b.embedStatement(s)
	case *parser.Estimate:
		return b.estimateStatement(s)
	case *parser.Job:
		return b.jobStatement(s)
	case *parser.ShowGenerations:
		return b.showGenerationsStatement(s)
	case *parser.Refresh:
		return b.refreshStatement(s)
	case *parser.Verify:
		return b.verifyStatement(s)
	case *parser.Diff:
		return b.diffStatement(s)
	case *parser.Nearest:
		return b.nearestStatement(s)
	case *parser.Within:
		return b.withinStatement(s)
	case *parser.Reconstruct:
		return b.reconstructStatement(s)
	case *parser.EvaluateLabels:
		return b.evaluateLabelsStatement(s)
	case *parser.EvaluateParameters:
		return b.evaluateParametersStatement(s)
	case *parser.EvaluateLinks:
		return b.evaluateLinksStatement(s)
	case *parser.EvaluateReconstruction:
		return b.evaluateReconstructionStatement(s)
	case *parser.Tune:
		return b.tuneStatement(s)
	case *parser.Materialize:
		return b.materializeStatement(s)
	case *parser.DropPredictions:
		return b.dropPredictionsStatement(s)
	case *parser.Predicted:
		return b.predictedStatement(s)
	case *parser.TrainModel:
		return b.trainModelStatement(s)
	case *parser.DropModel:
		return b.dropModelStatement(s)
	case *parser.DescribeModel:
		return b.describeModelStatement(s)
	case *parser.Score:
		return b.scoreStatement(s)
	case *parser.ScoreFile:
		return b.scoreFileStatement(s)
	case *parser.Predict:
		return b.predictStatement(s)
	case *parser.Help:
		b.mark(partTopic, s)
		table, err := helpOn(s.Topic)
		return &helpOp{s.Topic, table}, err
	case *parser.Check:
		return &checkOp{}, nil
	case *parser.Compact:
		return &compactOp{}, b.writable()
	case *parser.Backup:
		return b.backupStatement(s)
	case *parser.Migrate:
		return &migrateOp{}, b.writable()
	case *parser.Recover:
		return b.recoverStatement(s)
	case *parser.ExplainScore:
		return b.explainScoreStatement(s)
	case *parser.Explain:
		inner, err := b.statement(s.Statement)
		if err != nil {
			return nil, err
		}
		return &explainOp{inner, s.Profile}, nil
	}
	unknown := mistake(partStatement, "%s is not known here", parser.Heading(statement))
	b.mark(partStatement, statement)
	return nil, unknown
}

// value returns what a literal or parameter stands for: string, int64, float64,
// bool or []float32.
func (b *binder) value(at part, v parser.Value) (any, error) {
	value, err := b.untyped(at, v)
	if text, ok := value.(Untyped); ok {
		return text.infer(), err
	}
	return value, err
}

// untyped is value for a place that takes texts: an Untyped stays one.
func (b *binder) untyped(at part, v parser.Value) (any, error) {
	b.mark(at, v)
	switch v := v.(type) {
	case parser.String:
		return v.Value, nil
	case parser.Int:
		return v.Value, nil
	case parser.Float:
		return v.Value, nil
	case parser.Bool:
		return v.Value, nil
	case parser.Vector:
		return toVector(at, v.Values)
	case parser.Param:
		value, ok := b.params[v.Name]
		if !ok {
			e := mistake(at, "parameter $%s has no value", v.Name)
			var known []string
			for name := range b.params {
				known = append(known, name)
			}
			slices.Sort(known)
			return nil, e.withHint(v.Name, known, func(s string) string { return "$" + s })
		}
		if vector, ok := value.([]float64); ok {
			return toVector(at, vector)
		}
		return plain(value), nil
	}
	return nil, fmt.Errorf("a value of the type %T is not known", v)
}

// toVector rounds a vector to the precision of embeddings.
func toVector(at part, values []float64) ([]float32, error) {
	vector := make([]float32, len(values))
	for i, x := range values {
		vector[i] = float32(x)
		if math.IsInf(float64(vector[i]), 0) || math.IsNaN(x) {
			return nil, mistake(at, "element %d of the vector is %v, and must be a finite 32-bit number", i+1, x)
		}
	}
	return vector, nil
}

// unexpected is the error for a value of the wrong type.
func unexpected(at part, found any, expected ...string) *Error {
	e := mistake(at, "found %s", describe(found))
	e.Expected = expected
	return e
}

// text returns a string, such as the name of a file.
func (b *binder) text(at part, v parser.Value) (string, error) {
	value, err := b.untyped(at, v)
	if err != nil {
		return "", err
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case Untyped:
		return string(value), nil
	}
	return "", unexpected(at, value, "a text in quotes")
}

// size returns a count. Its range is for the request to check, as long as it
// fits an int.
func (b *binder) size(at part, v parser.Value) (int, error) {
	value, err := b.value(at, v)
	if err != nil {
		return 0, err
	}
	n, ok := value.(int64)
	if !ok {
		return 0, unexpected(at, value, "an integer")
	}
	return int(max(math.MinInt, min(math.MaxInt, n))), nil
}

// threshold returns the radius or the epsilon of a threshold.
func (b *binder) threshold(t parser.Threshold) (radius, epsilon float64, err error) {
	if t.Kind == parser.Auto {
		b.mark(partThreshold, t)
		return 0, 0, nil
	}
	value, err := b.value(partThreshold, t.Value)
	if err != nil {
		return 0, 0, err
	}
	x, ok := value.(float64)
	if n, isInt := value.(int64); isInt {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		return 0, 0, unexpected(partThreshold, value, "a number")
	case t.Kind == parser.Radius:
		return x, 0, nil
	case x == 0: // which a request takes for no epsilon
		_, err := index.EpsilonToRadius(0)
		e := mistake(partThreshold, "epsilon is 0, and must be above 0 and at most 0.5")
		e.Err = err
		return 0, 0, e
	}
	return 0, x, nil
}

// target returns the vertex or the vector that a search starts from.
func (b *binder) target(v parser.Value) (vertex string, vector []float32, err error) {
	value, err := b.untyped(partVertex, v)
	if err != nil {
		return "", nil, err
	}
	b.mark(partVector, v)
	if text, ok := value.(Untyped); ok {
		value = string(text)
	}
	switch value := value.(type) {
	case string:
		if value == "" {
			return "", nil, mistake(partVertex, "the key of a vertex is empty")
		}
		return value, nil, nil
	case int64:
		return strconv.FormatInt(value, 10), nil, nil
	case []float32:
		return "", append(make([]float32, 0, len(value)), value...), nil
	}
	return "", nil, unexpected(partVertex, value, "the key of a vertex", "a vector")
}

// key returns the key of a vertex.
func (b *binder) key(v parser.Value) (string, error) { return b.keyAt(partVertex, v) }

func (b *binder) keyAt(at part, v parser.Value) (string, error) {
	value, err := b.untyped(at, v)
	if err != nil {
		return "", err
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case Untyped:
		return string(value), nil
	case int64:
		return strconv.FormatInt(value, 10), nil
	}
	return "", unexpected(at, value, "the key of a vertex")
}

// space returns the embedding and the metric of a search.
func (b *binder) space(s parser.Space) (string, index.Metric, error) {
	b.mark(partEmbedding, s.Embedding)
	if s.Metric == nil {
		return s.Embedding.Name, index.L2, nil
	}
	b.mark(partMetric, *s.Metric)
	metric, err := index.ParseMetric(s.Metric.Name)
	if err == nil {
		return s.Embedding.Name, metric, nil
	}
	var names []string
	for _, m := range index.Metrics() {
		names = append(names, m.String())
	}
	e := mistake(partMetric, "unknown metric %s", quote(s.Metric.Name))
	e.Err = err
	return "", 0, e.withHint(s.Metric.Name, names, func(s string) string { return s })
}

// given evaluates options and marks them.
func (b *binder) given(options []parser.Option) ([]setting, error) {
	var list []setting
	for _, o := range options {
		at := partOption(o.Name.Name)
		value, err := b.untyped(at, o.Value)
		if err != nil {
			return nil, err
		}
		b.mark(at, o)
		list = append(list, setting{o.Name.Name, value})
	}
	return list, nil
}

// settings evaluates options and checks them against a table.
func (b *binder) settings(owner string, table []OptionInfo, options []parser.Option) (settings, error) {
	given, err := b.given(options)
	if err != nil {
		return nil, err
	}
	return checkSettings(owner, table, given)
}
