package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"heavytail/embedding/evaluate"
	"heavytail/index"
	"heavytail/query/parser"
	"heavytail/storage/format"
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
	case *parser.Import:
		return b.importStatement(s)
	case *parser.ExportGraph:
		return b.exportGraphStatement(s)
	case *parser.ExportEmbedding:
		return b.exportEmbeddingStatement(s)
	case *parser.Generate:
		return b.generateStatement(s)
	case *parser.DescribeGraph:
		b.mark(partGraph, s.Graph)
		info, err := b.graphInfo(s.Graph.Name, partGraph)
		return &describeGraphOp{info}, err
	case *parser.DescribeEmbedding:
		b.mark(partEmbedding, s.Embedding)
		info, err := b.embeddingInfo(s.Embedding.Name, partEmbedding)
		return &describeEmbeddingOp{info}, err
	case *parser.Show:
		return &showOp{s.What}, nil
	case *parser.Embed:
		return b.embedStatement(s)
	case *parser.Nearest:
		return b.nearestStatement(s)
	case *parser.Within:
		return b.withinStatement(s)
	case *parser.Reconstruct:
		return b.reconstructStatement(s)
	case *parser.Score:
		return b.scoreStatement(s)
	case *parser.ScoreFile:
		return b.scoreFileStatement(s)
	case *parser.Help:
		b.mark(partTopic, s)
		table, err := helpOn(s.Topic)
		return &helpOp{s.Topic, table}, err
	case *parser.Check:
		return &checkOp{}, nil
	case *parser.Explain:
		inner, err := b.statement(s.Statement)
		if err != nil {
			return nil, err
		}
		return &explainOp{inner, s.Profile}, nil
	}
	return nil, fmt.Errorf("query: a statement of the type %T is not known", statement)
}

func (b *binder) importStatement(s *parser.Import) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &importOp{req: ImportRequest{Graph: s.Graph.Name}}
	var err error
	if op.req.Path, err = b.text(partFile, s.File); err != nil {
		return nil, err
	}
	set, err := b.settings("IMPORT", importOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if err := importSettings(&op.req, set); err != nil {
		return nil, err
	}
	return op, b.checkImport(op.req)
}

func (b *binder) exportGraphStatement(s *parser.ExportGraph) (operation, error) {
	b.mark(partGraph, s.Graph)
	req, err := b.exportRequest("EXPORT GRAPH", s.Graph.Name, s.File, s.Options)
	if err != nil {
		return nil, err
	}
	info, err := b.graphInfo(req.Name, partGraph)
	return &exportGraphOp{req, info}, err
}

func (b *binder) exportEmbeddingStatement(s *parser.ExportEmbedding) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	req, err := b.exportRequest("EXPORT EMBEDDING", s.Embedding.Name, s.File, s.Options)
	if err != nil {
		return nil, err
	}
	info, err := b.embeddingInfo(req.Name, partEmbedding)
	return &exportEmbeddingOp{req, info}, err
}

func (b *binder) exportRequest(statement, object string, file parser.Value, options []parser.Option) (req ExportRequest, err error) {
	req.Name = object
	if req.Path, err = b.text(partInto, file); err != nil {
		return req, err
	}
	set, err := b.settings(statement, []OptionInfo{overwriteOption()}, options)
	if err != nil {
		return req, err
	}
	req.Overwrite = set.boolean("overwrite")
	return req, b.checkOutput(req.Path, req.Overwrite, partInto)
}

func (b *binder) generateStatement(s *parser.Generate) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partMethod, s.Generator.Name)
	if err := b.checkNewGraph(s.Graph.Name, partGraph); err != nil {
		return nil, err
	}
	given, err := b.given(s.Generator.Options)
	if err != nil {
		return nil, err
	}
	op := &generateOp{
		req:   GenerateRequest{Graph: s.Graph.Name, Generator: s.Generator.Name.Name},
		given: given, text: s.Generator.String(),
	}
	op.model, _, err = resolveGenerator(op.req.Generator, given)
	return op, err
}

func (b *binder) embedStatement(s *parser.Embed) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partMethod, s.Method.Name)
	b.mark(partEmbedding, s.Embedding)
	given, err := b.given(s.Method.Options)
	if err != nil {
		return nil, err
	}
	op := &embedOp{
		req:   EmbedRequest{Graph: s.Graph.Name, Name: s.Embedding.Name, Method: s.Method.Name.Name},
		given: given, text: s.Method.String(),
	}
	op.found, err = b.resolveEmbed(op.req, given)
	return op, err
}

func (b *binder) nearestStatement(s *parser.Nearest) (operation, error) {
	op := &nearestOp{where: s.Where}
	var err error
	if op.req.K, err = b.size(partCount, s.Count); err != nil {
		return nil, err
	}
	if op.req.Vertex, op.req.Vector, err = b.target(s.To); err != nil {
		return nil, err
	}
	if op.req.Embedding, op.req.Metric, err = b.space(s.Using); err != nil {
		return nil, err
	}
	if op.req.Where, err = b.where(s.Where, op.req.Vector == nil); err != nil {
		return nil, err
	}
	op.found, err = b.resolveNearest(op.req)
	return op, err
}

func (b *binder) withinStatement(s *parser.Within) (operation, error) {
	op := &withinOp{where: s.Where, threshold: s.Threshold}
	var err error
	if op.req.Radius, op.req.Epsilon, err = b.threshold(s.Threshold); err != nil {
		return nil, err
	}
	if op.req.Vertex, op.req.Vector, err = b.target(s.Of); err != nil {
		return nil, err
	}
	if op.req.Embedding, op.req.Metric, err = b.space(s.Using); err != nil {
		return nil, err
	}
	if op.req.Where, err = b.where(s.Where, op.req.Vector == nil); err != nil {
		return nil, err
	}
	if s.Limit != nil {
		if op.req.Limit, err = b.size(partLimit, s.Limit); err != nil {
			return nil, err
		}
		if op.req.Limit < 1 {
			return nil, mistake(partLimit, "the limit is %d, and must be at least 1", op.req.Limit)
		}
	}
	op.found, err = b.resolveWithin(op.req)
	return op, err
}

// reconstructOptions are the options of RECONSTRUCT.
func reconstructOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "grid", Type: "text", Default: "'quantiles'", Choices: []string{"quantiles", "paper"}, Doc: "which radii AUTO tries: quantiles of the distances, or epsilon from 0.01 to 0.50"},
		{Name: "points", Type: "int", Default: "128", Doc: "how many quantiles AUTO tries at first"},
		{Name: "criterion", Type: "text", Default: "'pearson'", Choices: criteria(), Doc: "what AUTO maximises: a correlation of the degrees, or f1 of the edges"},
		{Name: "sweep", Type: "bool", Default: "FALSE", Doc: "show every point that AUTO tried, not only the best"},
		overwriteOption(),
	}
}

// criteria are the names of evaluate.Criterion, by its numbers.
func criteria() []string { return []string{"pearson", "spearman", "kendall", "f1"} }

func (b *binder) reconstructStatement(s *parser.Reconstruct) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	op := &reconstructOp{threshold: s.Threshold}
	op.req.Embedding = s.Embedding.Name
	op.req.Auto = s.Threshold.Kind == parser.Auto
	var err error
	if op.req.Radius, op.req.Epsilon, err = b.threshold(s.Threshold); err != nil {
		return nil, err
	}
	if s.Graph != nil {
		b.mark(partInto, s.Graph)
		op.req.Graph = s.Graph.Name
	}
	if s.File != nil {
		if op.req.File, err = b.text(partInto, s.File); err != nil {
			return nil, err
		}
	}
	set, err := b.settings("RECONSTRUCT", reconstructOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	for _, o := range []string{"grid", "points", "criterion", "sweep"} {
		if _, given := set[o]; given && !op.req.Auto {
			return nil, mistake(partOption(o), "option %s has no meaning without AUTO", o)
		}
	}
	if _, given := set["overwrite"]; given && op.req.File == "" {
		return nil, mistake(partOption("overwrite"), "option overwrite has no meaning without INTO FILE")
	}
	if set.text("grid") == "paper" {
		op.req.Grid = evaluate.Paper
	}
	op.req.Criterion = evaluate.Criterion(max(0, slices.Index(criteria(), set.text("criterion"))))
	points, err := set.within("points", 2, maxPoints)
	if err != nil {
		return nil, err
	}
	op.req.Points, op.req.Overwrite = int(points), set.boolean("overwrite")
	op.sweep = set.boolean("sweep")
	op.found, err = b.resolveReconstruct(op.req)
	return op, err
}

func (b *binder) scoreStatement(s *parser.Score) (operation, error) {
	op := &scoreOp{}
	if s.Graph != nil {
		b.mark(partGraph, s.Graph)
		op.req.Graph = s.Graph.Name
	} else {
		b.mark(partGraph, s)
	}
	if _, err := b.settings("SCORE", nil, s.Options); err != nil {
		return nil, err
	}
	for _, p := range s.Pairs {
		u, err := b.key(p.U)
		if err != nil {
			return nil, err
		}
		v, err := b.key(p.V)
		if err != nil {
			return nil, err
		}
		op.req.Pairs = append(op.req.Pairs, Pair{u, v})
	}
	op.req.With = b.scorers(s.Scorers)
	var err error
	op.found, err = b.resolveScoring(op.req.Graph, op.req.With)
	return op, err
}

// scoreFileOptions are the options of SCORE FILE.
func scoreFileOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "header", Type: "text", Default: "'auto'", Choices: []string{"auto", "none", "names"}, Doc: "whether the first line has column names or is a pair"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what stands between columns: auto, whitespace, tab, comma, semicolon or bar"},
		overwriteOption(),
	}
}

func (b *binder) scoreFileStatement(s *parser.ScoreFile) (operation, error) {
	op := &scoreFileOp{}
	if s.Graph != nil {
		b.mark(partGraph, s.Graph)
		op.req.Graph = s.Graph.Name
	} else {
		b.mark(partGraph, s)
	}
	var err error
	if op.req.Path, err = b.text(partFile, s.Pairs); err != nil {
		return nil, err
	}
	if s.File != nil {
		if op.req.Into, err = b.text(partInto, s.File); err != nil {
			return nil, err
		}
	} else {
		op.req.Each = func(ScoredPair) error { return nil } // exec takes the pairs
	}
	set, err := b.settings("SCORE FILE", scoreFileOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if _, given := set["overwrite"]; given && op.req.Into == "" {
		return nil, mistake(partOption("overwrite"), "option overwrite has no meaning without INTO FILE")
	}
	op.req.Overwrite = set.boolean("overwrite")
	if text := set.text("header"); text != "" {
		if op.req.Header, err = format.ParseHeader(text); err != nil {
			return nil, err
		}
	}
	if err := separatorSetting(&op.req.Separator, set); err != nil {
		return nil, err
	}
	op.req.With = b.scorers(s.Scorers)
	op.found, err = b.resolveScoreFile(op.req)
	return op, err
}

// scorers marks and converts the scorers of a statement.
func (b *binder) scorers(list []parser.Scorer) []Scorer {
	with := make([]Scorer, len(list))
	for i, s := range list {
		b.mark(partScorer(i), s)
		with[i].Name = s.Name.Name
		if s.Of != nil {
			with[i].Embedding = s.Of.Name
		}
	}
	return with
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
	return nil, fmt.Errorf("query: a value of the type %T is not known", v)
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
func (b *binder) key(v parser.Value) (string, error) {
	value, err := b.untyped(partVertex, v)
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
	return "", unexpected(partVertex, value, "the key of a vertex")
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
