package links

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/jsonnull"
	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/vec"
)

// This file has EVALUATE TEST: scorers on edges and other pairs that were chosen elsewhere.

// EvaluateTestRequest asks how well scorers separate given edges from given other pairs.
type EvaluateTestRequest struct {
	Graph  string             // of the training edges; empty as in ScoreRequest
	Edges  PairSource         // of the test, or of the validation
	Others PairSource         // pairs that are no edges
	With   []catalogue.Scorer // nil is all heuristics that the graph has data for
	// Direction is that of pairs of a directed graph, as in ScoreRequest.
	Direction string
	// Own divides Others, in the order of their file, into lists of equal length, one for each edge of Edges
	// in the order of its file. Otherwise all edges are compared with all other pairs.
	Own  bool
	Hits []int // k of the measure hits, each at least 1; nil is DefaultHits
	// AllowLeaks measures in spite of edges of the test that are in the graph, and of other pairs that are
	// edges of the graph or of the test, which otherwise are an error.
	AllowLeaks bool
	Header     format.HeaderMode // of both files, as in ScoreRequest
	Separator  string
}

// PairSource is where pairs come from: a file as in ScoreRequest, or the edges of a stored graph, whose
// vertices have the same keys.
type PairSource struct{ Path, Graph string }

func (s PairSource) String() string {
	if s.Graph != "" {
		return "graph " + fault.Name(s.Graph)
	}
	return fault.Quote(session.InputName(s.Path))
}

// DefaultHits are the k of EvaluateTestRequest.Hits that most published tables have.
func DefaultHits() []int { return []int{10, 50, 100} }

// TestScore is what one scorer has on the pairs of a test.
type TestScore struct {
	Scorer catalogue.Scorer `json:"scorer"`
	evaluate.AgainstScore
}

// MarshalJSON writes null for a figure that is not defined.
func (s TestScore) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *TestScore) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

// EvaluateTestResult is the answer of EvaluateTest.
type EvaluateTestResult struct {
	Edges   int           `json:"edges"`  // of the test
	Others  int           `json:"others"` // pairs that each of them is compared with
	Scores  []TestScore   `json:"scores"` // in the order of the scorers
	Notices []rows.Notice `json:"notices,omitempty"`
}

// The two sources of pairs, for errors, and the option that they mention.
const (
	partTest    fault.Part = "test"
	partAgainst fault.Part = "against"

	leaksOption = "allow_leaks"
	ownOption   = "own"
	hitsOption  = "hits"
)

var evaluateTest = &engine.Statement[*parser.EvaluateTest, EvaluateTestRequest, *scorerEntries, EvaluateTestResult]{
	Help: help.Statement{
		Statement: "EVALUATE TEST",
		Summary:   "measures scorers on given test edges and other pairs",
		Detail:    "The measures are those of published tables. The graph has the training edges alone, and so have the embeddings and models that scorers read. Test edges and other pairs are files, or graphs whose vertices have the same keys. Without WITH it measures all heuristics. A test edge that is in the graph, a vertex that the graph does not have, and a pair that is an edge are errors",
		Words:     "benchmark ogb heart mrr hits reciprocal rank auc split valid validation negatives link prediction published",
		Columns:   "scorer, mrr, hits_k for each k of hits, auc, average_precision",
	},
	Schema: evaluateTestSchema,
	Bind: func(b *engine.Binder, s *parser.EvaluateTest) (req EvaluateTestRequest) {
		req.Graph = b.MarkGraph(s.Graph, s)
		req.Edges = PairSource{b.TextOrNone(partTest, s.File), b.NameOrNone(partTest, s.Edges)}
		req.Others = PairSource{b.TextOrNone(partAgainst, s.AgainstFile), b.NameOrNone(partAgainst, s.Against)}
		if s.Scorers != nil {
			req.With = scorers(b, s.Scorers...)
		}
		engine.Bind(b, parser.Heading(s), evaluateTestSchema(), s.Options, &req)
		return req
	},
	Resolve: resolveEvaluateTest,
	Plan: func(req EvaluateTestRequest, found *scorerEntries) *plan.Plan {
		scores := scorePlan(found.with(), found.inputs())
		scores.Inputs = append([]*plan.Plan{plan.Step("test", req.Edges.String()), plan.Step("against", req.Others.String())}, scores.Inputs...)
		return plan.Result("evaluation", "MRR, hits, AUC, average precision", scores)
	},
	Run: runEvaluateTest,
	Rows: func(req EvaluateTestRequest, r EvaluateTestResult) *rows.Rows {
		columns := []string{"scorer", "mrr"}
		for _, k := range req.hits() {
			columns = append(columns, "hits_"+strconv.Itoa(k))
		}
		return cells.RowsOf(append(columns, "auc", "average_precision"), lists.Map(r.Scores, TestScore.row))
	},
	Reads: true,
}

func (s TestScore) row() []rows.Value {
	row := []rows.Value{s.Scorer.String(), s.MRR}
	for _, h := range s.Hits {
		row = append(row, cells.Number(h.Fraction))
	}
	return append(row, s.AUC, s.AveragePrecision)
}

func evaluateTestSchema() option.Schema[EvaluateTestRequest] {
	type request = EvaluateTestRequest
	return append(option.Schema[request]{
		option.Bool(ownOption, "each test edge has its own pairs: the first ones of the file are of the first edge, and all have equally many. Otherwise all edges are compared with all pairs", func(r *request) *bool { return &r.Own }),
		option.Parsed(hitsOption, "comma-separated k of hits: the fraction of edges that score above the k-th highest pair; with own the fraction whose rank is at most k", func(r *request) *[]int { return &r.Hits }, hitsIn, hitsText).OrElse(hitsText(DefaultHits())),
		scoring.DirectionField("pairs have a source and a target, and are scored along the edges", func(r *request) *string { return &r.Direction }),
		option.Bool(leaksOption, "measure although test edges are in the graph, or pairs are edges", func(r *request) *bool { return &r.AllowLeaks }),
	}, textfile.PairsFields(func(r *request) *format.HeaderMode { return &r.Header }, func(r *request) *string { return &r.Separator })...)
}

func hitsIn(text string) (list []int, err error) {
	for _, name := range engine.NamesIn(text) {
		k, err := strconv.Atoi(name)
		if err != nil || k < 1 || slices.Contains(list, k) {
			return nil, &option.Error{Message: fmt.Sprintf("is '%s', expected different numbers from 1 on with commas between", text)}
		}
		list = append(list, k)
	}
	return list, nil
}

func hitsText(list []int) string { return strings.Join(lists.Map(list, strconv.Itoa), ", ") }

func (req EvaluateTestRequest) hits() []int {
	if req.Hits == nil {
		return DefaultHits()
	}
	return req.Hits
}

// EvaluateTest measures scorers on the edges of a test and on other pairs, by the definitions of
// evaluate.AgainstScore. The graph of the request has the training edges alone, and so have its embeddings and
// models. A vertex that the graph does not have is an error, because its pairs have no score.
// It stores nothing. It takes 16 bytes for each pair and 16 for its score.
func (s *Service) EvaluateTest(ctx context.Context, req EvaluateTestRequest) (EvaluateTestResult, error) {
	return evaluateTest.Answer(ctx, s.db, req)
}

func resolveEvaluateTest(c *engine.Call, req EvaluateTestRequest) (*scorerEntries, error) {
	if err := textfile.FormatMistake(format.EdgeListOptions{Header: req.Header, Separator: req.Separator}.Validate()); err != nil {
		return nil, err
	}
	if err := cmp.Or(req.Edges.check(c, partTest), req.Others.check(c, partAgainst)); err != nil {
		return nil, err
	}
	if req.Edges.Path == "-" && req.Others.Path == "-" {
		return nil, fault.New(partAgainst, "both lists of pairs are standard input")
	}
	if req.Own && req.Others.Graph != "" {
		return nil, fault.OfOption(ownOption, "divides the pairs of a file in their order, and the edges of a graph have none")
	}
	if req.Own && req.Edges.Graph != "" {
		return nil, fault.OfOption(ownOption, "needs the order of the test edges, and the edges of a graph have none")
	}
	if slices.ContainsFunc(req.hits(), func(k int) bool { return k < 1 }) {
		return nil, fault.OfOption(hitsOption, "has a number below 1")
	}
	with := req.With
	if with == nil {
		var err error
		if with, err = explained(c, ScoreRequest{Graph: req.Graph}); err != nil {
			return nil, err
		}
	}
	found, err := findScorers(c, req.Graph, with)
	if err == nil {
		err = found.toward(req.Direction)
	}
	if err != nil || !found.along {
		return found, err
	}
	return found, cmp.Or(req.Edges.checkDirected(c, partTest), req.Others.checkDirected(c, partAgainst))
}

// checkDirected refuses the edges of an undirected graph as pairs with a direction.
func (s PairSource) checkDirected(c *engine.Call, at fault.Part) error {
	if s.Graph == "" {
		return nil
	}
	info, err := c.GraphInfo(s.Graph, at)
	if err == nil && !info.Directed {
		err = session.NoDirection(s.Graph, at).WithOption("to read the undirected view of the graph", scoring.DirectionOption, scoring.DirectionBoth)
	}
	return err
}

func (s PairSource) check(c *engine.Call, at fault.Part) error {
	switch {
	case (s.Path == "") == (s.Graph == ""):
		return fault.New(at, "the pairs are those of a file or of a graph, and one of them must be named")
	case s.Path != "":
		return c.CheckInput(s.Path, at)
	}
	_, err := c.GraphInfo(s.Graph, at)
	return err
}

func runEvaluateTest(c *engine.Call, req EvaluateTestRequest, found *scorerEntries) (r EvaluateTestResult, err error) {
	s, err := loadScoring(c, found)
	if err != nil {
		return r, err
	}
	t := &testPairs{loadedScoring: s, call: c, req: req}
	defer func() {
		for _, release := range t.releases {
			release()
		}
	}()
	if err := t.read(); err != nil {
		return r, err
	}
	r.Edges, r.Others = len(t.edges), len(t.others)
	if req.Own {
		r.Others /= r.Edges
	}
	stop := c.Watch.Start(plan.Score)
	scores := make([]float64, len(t.edges)+len(t.others))
	for i, w := range s.Scorers {
		if err := t.score(w, scores); err != nil {
			return r, err
		}
		of, err := evaluate.MeasureAgainst(scores[:r.Edges], scores[r.Edges:], req.Own, req.hits())
		if err != nil {
			return r, err
		}
		r.Scores = append(r.Scores, TestScore{w.Scorer, of})
		c.Meter.Update("scoring", int64(i+1), int64(len(s.Scorers)))
	}
	stop(int64(len(scores)), "")
	each := "each of %s is compared with the same %s"
	if req.Own {
		each = "each of %s is compared with %s of its own"
	}
	c.Notice(each, fault.Count(int64(r.Edges), "test edge"), fault.Count(int64(r.Others), "pair"))
	r.Notices = c.Notices
	return r, nil
}

// testPairs are the pairs of a test.
type testPairs struct {
	*loadedScoring
	call          *engine.Call
	req           EvaluateTestRequest
	edges, others []csr.Edge
	bytes         int64 // that are reserved
	releases      []func()
}

// read reads and checks both lists.
func (t *testPairs) read() (err error) {
	held := newPairCheck(t, partTest, "test edges")
	if t.edges, err = held.read(t.req.Edges); err != nil {
		return err
	}
	known := csr.NewEdgeSet(int64(len(t.edges)), t.along != nil)
	again := int64(0)
	for _, e := range t.edges {
		if !known.Add(e) {
			again++
		}
	}
	if again > 0 {
		t.call.Notice("%s repeat an earlier one, and count each time", fault.Count(again, "test edge"))
	}
	against := newPairCheck(t, partAgainst, "other pairs")
	against.known = known
	if t.others, err = against.read(t.req.Others); err != nil {
		return err
	}
	if t.req.Own && len(t.others)%len(t.edges) != 0 {
		return fault.OfOption(ownOption, "needs as many pairs for each test edge, and there are %s for %s", fault.Count(int64(len(t.others)), "pair"), fault.Count(int64(len(t.edges)), "test edge"))
	}
	return nil
}

// pairCheck reads one list, and counts the pairs in it that cannot be measured.
type pairCheck struct {
	*testPairs
	at              fault.Part
	name            string // of the pairs, in errors
	known           *csr.EdgeSet
	list            []csr.Edge
	unknown, linked pairFault
	loops           pairFault
}

// pairFault is the number of pairs with a fault, and the keys of the first one.
type pairFault struct {
	pairs int64
	first string
}

func (f *pairFault) add(source, target []byte) {
	if f.pairs++; f.pairs == 1 {
		f.first = fmt.Sprintf("(%s, %s)", fault.QuoteKey(string(source)), fault.QuoteKey(string(target)))
	}
}

func newPairCheck(t *testPairs, at fault.Part, name string) *pairCheck {
	return &pairCheck{testPairs: t, at: at, name: name}
}

func (p *pairCheck) read(from PairSource) ([]csr.Edge, error) {
	read := p.file
	if from.Graph != "" {
		read = p.graphEdges
	}
	if err := read(from); err != nil {
		return nil, err
	}
	graph := fault.Name(p.graph.Info.Name)
	of := func(what string, f pairFault) string {
		return fmt.Sprintf("%s %s: %d of %d, such as %s", p.name, what, f.pairs, len(p.list), f.first)
	}
	linked := "that are edges of graph " + graph
	if p.known != nil {
		linked += " or of the test"
	}
	switch {
	case len(p.list) == 0:
		return nil, fault.New(p.at, "%s has no pairs", from)
	case p.unknown.pairs > 0:
		return nil, fault.New(p.at, "%s", of("with a vertex that graph "+graph+" does not have", p.unknown)).
			WithRemedy("add vertices without edges by IMPORT VERTICES or INSERT VERTEX")
	case p.loops.pairs > 0:
		return nil, fault.New(p.at, "%s", of("of one vertex", p.loops))
	case p.linked.pairs > 0 && !p.req.AllowLeaks:
		return nil, fault.New(p.at, "%s", of(linked, p.linked)).WithOption("to measure all the same", leaksOption, "true")
	case p.linked.pairs > 0:
		p.call.Notice("%s", of(linked, p.linked))
	}
	return p.list, nil
}

func (p *pairCheck) file(from PairSource) error {
	in, size, err := p.call.OpenInput(from.Path, p.at)
	if err != nil {
		return err
	}
	defer in.Close()
	return p.pairs(in, format.EdgeListOptions{Name: session.InputName(from.Path), Header: p.req.Header, Separator: p.req.Separator, Size: size})
}

func (p *pairCheck) pairs(in io.Reader, opts format.EdgeListOptions) error {
	stats, err := graphfile.ReadPairs(p.call.Ctx, in, opts, p.add)
	if err == nil {
		textfile.NoteComments(p.call, stats.LateComments)
	}
	return err
}

func (p *pairCheck) graphEdges(from PairSource) error {
	other := &loadedScoring{}
	if err := other.load(p.call, from.Graph, p.along != nil, p.at); err != nil {
		return err
	}
	g := other.graph
	rows, _ := other.rows()
	var source, target []byte
	for u := range uint32(g.Graph.Vertices()) {
		if u%1024 == 0 && p.call.Ctx.Err() != nil {
			return p.call.Ctx.Err()
		}
		for _, v := range rows.Neighbors(u) {
			if p.along != nil || u < v {
				source, target = g.AppendKey(source[:0], u), g.AppendKey(target[:0], v)
				if err := p.add(source, target); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *pairCheck) add(source, target []byte) error {
	u, foundU := p.graph.VertexOf(source)
	v, foundV := p.graph.VertexOf(target)
	switch {
	case !foundU || !foundV:
		p.unknown.add(source, target)
	case u == v:
		p.loops.add(source, target)
	case p.hasEdge(u, v), p.known != nil && p.known.Has(csr.Edge{U: u, V: v}):
		p.linked.add(source, target)
	}
	p.list = append(p.list, csr.Edge{U: u, V: v})
	return p.grow(32)
}

// grow reserves memory for one more pair, some MiB at a time.
func (t *testPairs) grow(bytes int64) error {
	const piece = 8 << 20
	if t.bytes -= bytes; t.bytes >= 0 {
		return nil
	}
	release, err := t.call.DB.Cache.Reserve(piece, "the pairs of the test")
	if err == nil {
		t.releases, t.bytes = append(t.releases, release), t.bytes+piece
	}
	return err
}

// score computes the scores of all edges and then of all other pairs, larger ones for likelier edges.
func (t *testPairs) score(w boundScorer, scores []float64) error {
	sign := 1.0
	if !w.links().HigherIsLikelier {
		sign = -1
	}
	for _, of := range []struct {
		pairs []csr.Edge
		out   []float64
	}{{t.edges, scores}, {t.others, scores[len(t.edges):]}} {
		newer := slices.IndexFunc(of.pairs, func(e csr.Edge) bool { return max(e.U, e.V) >= w.Rows })
		if newer >= 0 {
			return fault.New(fault.Scorer(slices.IndexFunc(t.Scorers, func(s boundScorer) bool { return s.Scorer == w.Scorer })),
				"%s has no vector of a vertex of the test, which is newer than the embedding", w.Scorer).WithRemedy("REFRESH the embedding")
		}
		vec.Parallel(len(of.pairs), t.blockOf(t.call, len(of.pairs)), t.call.DB.Opts.Workers, func(_, lo, hi int) {
			if t.call.Ctx.Err() != nil {
				return
			}
			w.Batch(of.pairs[lo:hi], of.out[lo:hi])
			for i := lo; i < hi; i++ {
				of.out[i] *= sign
			}
		})
	}
	return t.call.Ctx.Err()
}
