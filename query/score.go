package query

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"heavytail/embedding/link"
	"heavytail/query/parser"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// Pair is two vertices by key.
type Pair struct{ Source, Target string }

// Scorer names a way to score pairs, such as adamic_adar, cosine on an embedding, or
// a model. DB.Scorers lists those that are no models.
type Scorer struct {
	Name      string // "model", or empty, where Model is set
	Embedding string // for the scorers that read vectors; empty for the others
	Model     string // a model of DB.Models: its probability that there is a link
}

// String returns the text of the scorer in the language, which is also the name
// of its column: cosine(spec).
func (s Scorer) String() string {
	if s.Model != "" {
		return modelScorer + "(" + parser.Ident{Name: s.Model}.String() + ")"
	}
	if s.Embedding == "" {
		return s.Name
	}
	return s.Name + "(" + parser.Ident{Name: s.Embedding}.String() + ")"
}

// ScoreRequest asks for the scores of some pairs.
type ScoreRequest struct {
	Pairs []Pair
	// Graph has the vertices of the pairs. It may be left empty where an
	// embedding says which, or where the file has one graph.
	Graph string
	With  []Scorer // at least one
}

// ScoreFileRequest asks for the scores of the pairs in a file.
type ScoreFileRequest struct {
	// Path is a text file of two columns, separated by white space, tab, comma
	// or semicolon, plain or compressed; "-" is Options.Input.
	Path      string
	Graph     string // as in ScoreRequest
	With      []Scorer
	Header    format.HeaderMode // what the first line is; format.HeaderCounts is refused
	Separator string            // as in format.EdgeListOptions
	// Each is called for every pair in the order of the file, if Into is empty.
	// The slice of scores is its own to keep. An error ends the call and is
	// returned as it is.
	Each func(ScoredPair) error
	// Into is the CSV file to write the pairs and scores to; a name that ends in
	// .gz or .zst is compressed. A file that exists is refused, unless
	// Overwrite is set. Until it is complete its name ends in .part, and every
	// quarter of a million pairs it is made durable.
	Into      string
	Overwrite bool
	// Resume goes on with the .part of Into that an earlier call has left, whatever
	// stopped it: no line is lost or repeated, and the bytes are those of a call that
	// was never stopped. It is refused if the input, the graph, the scorers or what
	// they read have changed. Without such a file it begins one.
	Resume bool
}

// ScoredPair is a pair with its scores, in the order of the scorers. NaN says
// that there is none: a vertex does not exist, or is newer than the embedding.
type ScoredPair struct {
	Pair
	Scores []float64
}

// ScoreResult is the answer of Score: the pairs in the order of the request.
type ScoreResult struct {
	Pairs   []ScoredPair
	Missing int // pairs without a vertex that they name
	Notices []Notice
}

// ScoreFileResult is the answer of ScoreFile.
type ScoreFileResult struct {
	Pairs   int64
	Missing int64 // pairs without a vertex that they name
	Seconds float64
	Notices []Notice
}

// Score scores pairs of vertices. A pair that names an unknown vertex is
// reported in Missing and keeps its place.
func (db *DB) Score(ctx context.Context, req ScoreRequest) (ScoreResult, error) {
	c, err := db.begin(ctx, "SCORE")
	if err != nil {
		return ScoreResult{}, err
	}
	defer c.end()
	result, err := c.score(req)
	return result, c.wrap(err)
}

// ScoreFile scores the pairs of a file of any length, in bounded memory.
func (db *DB) ScoreFile(ctx context.Context, req ScoreFileRequest) (ScoreFileResult, error) {
	c, err := db.begin(ctx, "SCORE FILE")
	if err != nil {
		return ScoreFileResult{}, err
	}
	defer c.end()
	result, err := c.scoreFile(req)
	return result, c.wrap(err)
}

func (c *call) score(req ScoreRequest) (ScoreResult, error) {
	s, err := c.resolveScoring(req.Graph, req.With)
	if err != nil {
		return ScoreResult{}, err
	}
	if len(req.Pairs) > c.db.opts.MaxRows {
		return ScoreResult{}, &LimitError{
			What: "the answer", Need: int64(len(req.Pairs)), Limit: int64(c.db.opts.MaxRows), Unit: "rows", Field: "MaxRows",
		}
	}
	stop := c.watch.start(stepScore)
	scored, err := s.all(c, req.Pairs)
	if err != nil {
		return ScoreResult{}, err
	}
	stop(int64(len(scored)), "")
	s.noteMissing(c)
	return ScoreResult{Pairs: scored, Missing: int(s.missing), Notices: c.notices}, nil
}

func (c *call) scoreFile(req ScoreFileRequest) (ScoreFileResult, error) {
	s, err := c.resolveScoreFile(req)
	if err != nil {
		return ScoreFileResult{}, err
	}
	return c.scoreFileBy(s, req)
}

// scoreFileBy is scoreFile with names that are resolved already. It needs no
// store, so that rows can be scored after it was closed.
func (c *call) scoreFileBy(s *scoring, req ScoreFileRequest) (ScoreFileResult, error) {
	in, size, err := c.openInput(req.Path, partFile)
	if err != nil {
		return ScoreFileResult{}, err
	}
	defer in.Close()
	began := time.Now()
	stop := c.watch.start(stepScore)
	var total int64
	emit := func(scored []ScoredPair) error {
		for _, p := range scored {
			if err := req.Each(p); err != nil {
				return err
			}
		}
		return nil
	}
	opts := format.EdgeListOptions{
		Name: inputName(req.Path), Header: req.Header, Separator: req.Separator,
		Size: size, Progress: c.meter.update,
	}
	if req.Into == "" {
		total, err = s.file(c, in, opts, emit)
	} else {
		total, err = c.scoreInto(s, in, opts, req)
	}
	if err != nil {
		return ScoreFileResult{}, err
	}
	stop(total, "")
	s.noteMissing(c)
	return ScoreFileResult{Pairs: total, Missing: s.missing, Seconds: time.Since(began).Seconds(), Notices: c.notices}, nil
}

// scoring is a list of scorers whose names are resolved, on one graph.
type scoring struct {
	graph   *graphView
	scorers []boundScorer
	spaces  []*space // the embeddings that scorers read, each once
	missing int64    // pairs without a vertex, so far
	newer   int64    // pairs with a vertex newer than an embedding, so far
}

type boundScorer struct {
	text  string // in the language
	score func(u, v uint32) float64
	batch func(pairs []csr.Edge, out []float64) // the score of each pair, as score has it
	rows  uint32                                // vertices that it has data about: those below
	model *boundModel                           // nil where it is none
}

// columns returns the names of the scorers' columns.
func (s *scoring) columns() []string {
	names := make([]string, len(s.scorers))
	for i, b := range s.scorers {
		names[i] = b.text
	}
	return names
}

// resolveScoreFile checks a request and finds what it names.
func (c *call) resolveScoreFile(req ScoreFileRequest) (*scoring, error) {
	if req.Each == nil && req.Into == "" {
		return nil, mistake(partInto, "neither a function nor a file takes the scores")
	}
	if req.Header == format.HeaderCounts {
		return nil, mistake(partOption("header"), "a file of pairs has no header of counts")
	}
	if err := c.checkInput(req.Path, partFile); err != nil {
		return nil, err
	}
	if req.Into != "" {
		if err := c.checkOutput(req.Into, req.Overwrite, partInto); err != nil {
			return nil, err
		}
		if err := c.checkPart(req); err != nil {
			return nil, err
		}
	}
	return c.resolveScoring(req.Graph, req.With)
}

// resolveScoring finds the graph and the scorers of a request.
func (c *call) resolveScoring(graph string, with []Scorer) (*scoring, error) {
	if len(with) == 0 {
		return nil, mistake(partScorer(0), "no scorer is named")
	}
	s := &scoring{}
	// Names first: a misspelt scorer should not cost the loading of a graph.
	for i, w := range with {
		if err := checkScorer(w, partScorer(i)); err != nil {
			return nil, err
		}
		what, of, err := c.scorerGraph(w, partScorer(i))
		if err != nil {
			return nil, err
		}
		if graph == "" {
			graph = of
		}
		if of != "" && of != graph {
			return nil, mistake(partScorer(i), "%s belongs to graph %s, and not to graph %s", what, name(of), name(graph))
		}
	}
	var err error
	if graph == "" {
		if graph, err = c.onlyGraph(partGraph); err != nil {
			return nil, err
		}
	}
	err = c.settled(func() error { return c.bindScorers(s, graph, with) })
	return s, err
}

// scorerGraph returns the graph of what a scorer reads, and its name in a sentence;
// empty where any graph will do.
func (c *call) scorerGraph(w Scorer, at part) (what, graph string, err error) {
	switch {
	case w.Model != "":
		info, err := c.modelInfo(w.Model, at)
		return "model " + name(w.Model), info.Graph, err
	case w.Embedding != "":
		info, err := c.embeddingInfo(w.Embedding, at)
		return "embedding " + name(w.Embedding), info.Graph, err
	}
	return "", "", nil
}

// bindScorers loads the graph and turns all scorers into functions.
func (c *call) bindScorers(s *scoring, graph string, with []Scorer) error {
	var err error
	if s.graph, err = c.graph(graph, partGraph); err != nil {
		return err
	}
	if err := c.indexKeys(s.graph); err != nil {
		return err
	}
	s.scorers, s.spaces = nil, nil
	for i, w := range with {
		b, err := c.bindScorer(s, w, partScorer(i))
		if err != nil {
			return err
		}
		s.scorers = append(s.scorers, b)
	}
	return nil
}

// checkScorer refuses a scorer that is not known, or that wants an embedding
// and has none, or the other way round.
func checkScorer(w Scorer, at part) error {
	if w.Model != "" || w.Name == modelScorer {
		return checkModelScorer(w, at)
	}
	for _, known := range link.Scorers() {
		switch {
		case known.Name != w.Name:
		case known.NeedsEmbedding && w.Embedding == "":
			e := mistake(at, "scorer %s reads an embedding, and none is named", w.Name)
			e.Hint = "write " + w.Name + "(embedding)"
			return e
		case !known.NeedsEmbedding && w.Embedding != "":
			return mistake(at, "scorer %s reads the graph alone, and embedding %s is named", w.Name, name(w.Embedding))
		default:
			return nil
		}
	}
	return unknownScorer(w.Name, at)
}

// checkModelScorer is checkScorer for what looks like a model.
func checkModelScorer(w Scorer, at part) error {
	switch {
	case w.Model == "":
		e := mistake(at, "scorer model reads a model, and none is named")
		e.Hint = "write model(name); SHOW MODELS lists them"
		return e
	case w.Name != modelScorer && w.Name != "" || w.Embedding != "":
		return mistake(at, "scorer %s reads no model, and model %s is named", quote(w.Name), name(w.Model))
	}
	return nil
}

// unknownScorer is the error for a name that is no scorer's.
func unknownScorer(scorer string, at part) error {
	e := mistake(at, "unknown scorer %s", quote(scorer))
	e.Err = link.ErrScorer
	return e.withHint(scorer, append(scorerNames(), modelScorer), func(s string) string { return s })
}

// scorerNames lists the scorers.
func scorerNames() []string {
	var names []string
	for _, s := range link.Scorers() {
		names = append(names, s.Name)
	}
	return names
}

// bindScorer turns a scorer into a function of two vertices.
func (c *call) bindScorer(s *scoring, w Scorer, at part) (boundScorer, error) {
	b := boundScorer{text: w.String(), rows: uint32(s.graph.Graph.Vertices())}
	var matrix *vec.Matrix
	if w.Model != "" {
		m, err := c.bindModel(w.Model, s.graph, at)
		if err != nil {
			return b, err
		}
		s.use(m.space)
		b.score, b.batch, b.rows, b.model = m.Score, m.Batch, m.rows(), m
		return b, nil
	}
	if w.Embedding != "" {
		sp, err := c.space(w.Embedding, at)
		if err != nil {
			return b, err
		}
		s.use(sp)
		matrix, b.rows = sp.matrix, min(b.rows, uint32(sp.matrix.Rows))
	}
	var err error
	b.score, b.batch, err = link.NewBatch(w.Name, s.graph.Graph, matrix)
	return b, err
}

// use notes an embedding that a scorer reads; nil is none.
func (s *scoring) use(sp *space) {
	if sp != nil && !slices.Contains(s.spaces, sp) {
		s.spaces = append(s.spaces, sp)
	}
}

// all scores pairs with all workers. The result does not depend on how many
// there are.
func (s *scoring) all(c *call, pairs []Pair) ([]ScoredPair, error) {
	scored := make([]ScoredPair, len(pairs))
	missing := make([]tally, (len(pairs)+scoreBlock-1)/scoreBlock)
	width := len(s.scorers)
	scores := make([]float64, len(pairs)*width)
	vec.Parallel(len(pairs), scoreBlock, c.db.opts.Workers, func(b, lo, hi int) {
		if c.ctx.Err() != nil {
			return
		}
		var block pairBlock
		for i := lo; i < hi; i++ {
			u, foundU := s.graph.Vertex(pairs[i].Source)
			v, foundV := s.graph.Vertex(pairs[i].Target)
			block.add(u, v, foundU && foundV)
			scored[i] = ScoredPair{Pair: pairs[i], Scores: scores[i*width : (i+1)*width : (i+1)*width]}
		}
		s.scores(&block, scores[lo*width:hi*width], &missing[b])
	})
	for _, t := range missing {
		s.missing += t.missing
		s.newer += t.newer
	}
	return scored, c.ctx.Err()
}

// tally counts the pairs without scores of one block.
type tally struct{ missing, newer int64 }

// scoreBlock pairs are scored at a time: some tens of microseconds, more than handing
// them over costs, and some milliseconds of the slowest scorer.
const scoreBlock = 64

// pairBlock is up to scoreBlock pairs on their way to the scorers.
type pairBlock struct {
	pairs [scoreBlock]csr.Edge
	found [scoreBlock]bool // both vertices exist
	n     int

	known [scoreBlock]csr.Edge // the pairs that a scorer has data about
	at    [scoreBlock]int      // where they stand in pairs
	out   [scoreBlock]float64
}

func (b *pairBlock) add(u, v uint32, found bool) {
	b.pairs[b.n], b.found[b.n] = csr.Edge{U: u, V: v}, found
	b.n++
}

// scores fills the scores of a block, pair by pair, with NaN where there are none.
func (s *scoring) scores(b *pairBlock, scores []float64, t *tally) {
	width := len(s.scorers)
	var newer [scoreBlock]bool
	for i, scorer := range s.scorers {
		n := 0
		for j, e := range b.pairs[:b.n] {
			if b.found[j] && e.U < scorer.rows && e.V < scorer.rows {
				b.known[n], b.at[n] = e, j
				n++
			} else {
				scores[j*width+i] = math.NaN()
				newer[j] = true
			}
		}
		scorer.batch(b.known[:n], b.out[:n])
		for k, j := range b.at[:n] {
			scores[j*width+i] = b.out[k]
		}
	}
	for j, found := range b.found[:b.n] {
		if !found {
			t.missing++
		} else if newer[j] {
			t.newer++
		}
	}
}

// file scores the pairs of a file in order, a batch at a time: while the file
// is read, at most one batch is in memory.
func (s *scoring) file(c *call, in io.Reader, opts format.EdgeListOptions, emit func([]ScoredPair) error) (int64, error) {
	// 4096 pairs keep all workers busy for a millisecond or more, and take less
	// than a megabyte with keys of usual length.
	const batch = 4096
	pairs := make([]Pair, 0, batch)
	var total int64
	flush := func() error {
		scored, err := s.all(c, pairs)
		if err != nil {
			return err
		}
		total += int64(len(pairs))
		pairs = pairs[:0]
		return emit(scored)
	}
	_, err := format.ReadPairs(c.ctx, in, opts, func(source, target []byte) error {
		// One string for both keys halves the allocations.
		text := string(append(append(make([]byte, 0, len(source)+len(target)), source...), target...))
		pairs = append(pairs, Pair{Source: text[:len(source)], Target: text[len(source):]})
		if len(pairs) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return total, err
}

// noteMissing tells how many pairs have no score, and why.
func (s *scoring) noteMissing(c *call) {
	if s.missing > 0 {
		c.notice("%s a vertex that graph %s does not have", pairsName(s.missing), name(s.graph.Info.Name))
	}
	if s.newer > 0 {
		c.notice("%s a vertex that is newer than the embedding", pairsName(s.newer))
	}
}

func pairsName(n int64) string {
	if n == 1 {
		return "1 pair names"
	}
	return count(n, "pair") + " name"
}

// errStopped ends a stream whose reader has had enough.
var errStopped = errors.New("the reader has closed the rows")
