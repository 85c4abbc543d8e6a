package links

import (
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Pair is two vertices by key.
type Pair struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// ScoredPair is a pair with its scores, in the order of the scorers. A score is NaN
// (null in JSON) if a vertex does not exist or is newer than the embedding.
type ScoredPair struct {
	Pair
	// Further are the values of the further columns of a file, as text; one that is
	// missing is empty.
	Further []string  `json:"further,omitempty"`
	Scores  []float64 `json:"scores"`
}

// Scoring is a list of scorers that are loaded, on one graph.
type loadedScoring struct {
	graph   *session.Graph
	along   *csr.Directed // the same graph, if pairs have the direction of its edges; otherwise nil
	Scorers []boundScorer
	spaces  []*session.Space // the embeddings that scorers read, each once
	missing int64            // pairs without a vertex, so far
	newer   int64            // pairs with a vertex newer than an embedding, so far
	block   func() int       // most pairs that are scored together; the first call takes O(n)
}

// boundScorer is a scorer as a function of two vertices.
type boundScorer struct {
	catalogue.Scorer
	Score func(u, v uint32) float64
	Batch func(pairs []csr.Edge, out []float64) // the same scores, of many pairs
	Rows  uint32                                // number of vertices that the scorer has data for: those with smaller numbers
	model *boundModel                           // nil where it is none
}

// links is how the likeliest links by the scorer are found.
func (b *boundScorer) links() link.Scoring {
	if b.model != nil {
		return b.model.Scoring()
	}
	return link.NewScoring(b.Name, b.Score)
}

// made is the time at which the embeddings and models of the scorers were made; zero
// if they read only the graph.
func (s *loadedScoring) made() time.Time {
	var made time.Time
	for _, sp := range s.spaces {
		if sp.Info.Created.After(made) {
			made = sp.Info.Created
		}
	}
	for _, w := range s.Scorers {
		if w.model != nil && w.model.info.Created.After(made) {
			made = w.model.info.Created
		}
	}
	return made
}

// scoring loads the graph and turns all scorers into functions.
func loadScoring(c *engine.Call, found *scorerEntries) (*loadedScoring, error) {
	s := &loadedScoring{}
	err := c.Consistent(func() error { return bindScorers(c, s, found) })
	if err != nil {
		return nil, err
	}
	return s, noteModels(c, s)
}

func bindScorers(c *engine.Call, s *loadedScoring, found *scorerEntries) error {
	if err := s.load(c, found.graph.Name, found.along, fault.Graph); err != nil {
		return err
	}
	if !found.along {
		c.NoteView(s.graph.Info)
	} else {
		scoring.NoteSymmetric(c, found.with())
	}
	if err := c.IndexKeys(s.graph); err != nil {
		return err
	}
	s.Scorers, s.spaces = nil, nil
	for i, w := range found.scorers {
		b, err := bindScorer(c, s, w.Scorer, found.baseRate, fault.Scorer(i))
		if err != nil {
			return err
		}
		s.Scorers = append(s.Scorers, b)
	}
	s.block = sync.OnceValue(func() int {
		if slices.ContainsFunc(s.Scorers, func(w boundScorer) bool {
			return w.Model == "" && s.along == nil && link.Gains(w.Name, s.graph.Graph) || w.Model != "" && link.Gains("", s.graph.Graph)
		}) {
			return longBlock(c.Workers())
		}
		return scoreBlock
	})
	return nil
}

func bindScorer(c *engine.Call, s *loadedScoring, w catalogue.Scorer, baseRate float64, at fault.Part) (boundScorer, error) {
	if i := slices.IndexFunc(s.Scorers, func(b boundScorer) bool { return b.Scorer == w }); i >= 0 {
		return s.Scorers[i], nil // named twice
	}
	b := boundScorer{Scorer: w, Rows: uint32(s.graph.Graph.Vertices())}
	var matrix *vec.Matrix
	if w.Model != "" {
		m, err := bindModel(c, w.Model, s.graph, baseRate, at)
		if err != nil {
			return b, s.lostTimes(w, at, err)
		}
		for _, space := range m.spaces {
			s.use(space)
		}
		b.Score, b.Batch, b.Rows, b.model = m.Score, m.Batch, m.rows(), m
		return b, nil
	}
	if w.Embedding != "" {
		sp, err := c.Space(w.Embedding, at)
		if err != nil {
			return b, err
		}
		s.use(sp)
		matrix, b.Rows = sp.Matrix, min(b.Rows, uint32(sp.Matrix.Rows))
	}
	var err error
	if s.along != nil {
		b.Score, b.Batch, err = link.NewBatchAlong(w.Name, s.along, matrix)
	} else {
		b.Score, b.Batch, err = link.NewBatch(w.Name, s.graph.Graph, matrix)
	}
	if s.graph.Vertices != nil && err == nil { // a part of the graph has the rows for single scores
		b.Batch = func(pairs []csr.Edge, out []float64) {
			for i, e := range pairs {
				out[i] = b.Score(e.U, e.V)
			}
		}
	}
	return b, s.lostTimes(w, at, err)
}

// lostTimes converts the error for edges without times. The graph has some, so that those before
// the time of AS OF have none.
func (s *loadedScoring) lostTimes(w catalogue.Scorer, at fault.Part, err error) error {
	if !errors.Is(err, link.ErrNeedsTimes) {
		return err
	}
	return fault.New(at, "%s needs the times of edges, and the edges of graph %s before that time have none", w, fault.Name(s.graph.Info.Name)).
		WithRemedy("choose a later time").WithErr(err)
}

// load loads the graph, or with along its edges with their direction.
func (s *loadedScoring) load(c *engine.Call, graph string, along bool, at fault.Part) (err error) {
	if along {
		s.graph, s.along, err = c.Directed(graph, at)
	} else {
		s.graph, err = c.Graph(graph, at)
	}
	return err
}

// rows are the edges from the first vertex of a pair, and those to the second.
func (s *loadedScoring) rows() (from, to *csr.Graph) {
	if s.along != nil {
		return (*csr.Graph)(&s.along.Out), (*csr.Graph)(&s.along.In)
	}
	return s.graph.Graph, s.graph.Graph
}

// hasEdge reports whether the graph has the edge of a pair.
func (s *loadedScoring) hasEdge(u, v uint32) bool {
	if s.along != nil {
		return s.along.HasArc(u, v)
	}
	return s.graph.Graph.HasEdge(u, v)
}

// edges is the number of edges, with or without a direction.
func (s *loadedScoring) edges() int64 {
	if s.along != nil {
		return s.along.Arcs()
	}
	return s.graph.Graph.Edges()
}

// use notes an embedding that a scorer reads.
func (s *loadedScoring) use(sp *session.Space) {
	if !slices.Contains(s.spaces, sp) {
		s.spaces = append(s.spaces, sp)
	}
}

// all scores pairs with all workers. The result does not depend on how many
// there are.
func (s *loadedScoring) all(c *engine.Call, pairs []Pair) ([]ScoredPair, error) {
	scored := make([]ScoredPair, len(pairs))
	size := s.blockOf(c, len(pairs))
	missing := make([]tally, (len(pairs)+size-1)/size)
	width := len(s.Scorers)
	scores := make([]float64, len(pairs)*width)
	vec.Parallel(len(pairs), size, c.DB.Opts.Workers, func(b, lo, hi int) {
		if c.Ctx.Err() != nil {
			return
		}
		block := newPairBlock(hi - lo)
		for i := lo; i < hi; i++ {
			u, foundU := s.graph.Vertex(pairs[i].Source)
			v, foundV := s.graph.Vertex(pairs[i].Target)
			block.Add(u, v, foundU && foundV)
			scored[i] = ScoredPair{Pair: pairs[i], Scores: scores[i*width : (i+1)*width : (i+1)*width]}
		}
		s.Scores(block, scores[lo*width:hi*width], &missing[b])
	})
	for _, t := range missing {
		s.missing += t.Missing
		s.newer += t.Newer
	}
	return scored, c.Ctx.Err()
}

// tally counts the pairs without scores of one block.
type tally struct{ Missing, Newer int64 }

// scoreBlock is the number of pairs in a unit of work: it takes a hundred microseconds,
// more than the cost of passing it to a goroutine, and some milliseconds with the
// slowest scorer.
const scoreBlock = 512

// scoreBatch pairs of a file keep a worker busy for a millisecond or more, and take less
// than a megabyte with keys and scores of usual length.
const scoreBatch = 4096

// batchesOf is the number of batches that are on their way with so many workers.
func batchesOf(workers int) int { return 2*workers + 2 }

// longBlock is the number of pairs in a block if scorers take less time for a pair the more of them there are. In
// graphs with so many paths that this matters, a block then takes some tenths of a second. All blocks on their way
// have half a million pairs at most, which take some 50 MB, or with many workers 8192 each.
func longBlock(workers int) int {
	const most, onTheirWay = 1 << 16, 1 << 19
	block := most
	for block > 2*scoreBatch && block*batchesOf(workers) > onTheirWay {
		block /= 2
	}
	return block
}

// blockOf is the number of pairs of a block of so many pairs in all, so that each worker has one.
func (s *loadedScoring) blockOf(c *engine.Call, pairs int) int {
	if each := pairs/c.Workers() + 1; each > scoreBlock {
		return min(s.block(), each)
	}
	return scoreBlock
}

// batch is the number of pairs of the next batch of a file, after so many pairs: the first batches are short, so
// that all workers begin soon. Batches are scoreBatch times powers of two, and end at multiples of their length.
func (s *loadedScoring) batch(done int) int { return max(scoreBatch, min(done, s.block())) }

// pairBlock is pairs on their way to the scorers.
type pairBlock struct {
	Pairs []csr.Edge
	Found []bool // both vertices exist

	known []csr.Edge // the pairs that a scorer has data about
	at    []int      // their places in pairs
	out   []float64
	newer []bool // pairs with a vertex that a scorer has no data about
}

// newPairBlock has room for some pairs.
func newPairBlock(most int) *pairBlock {
	return &pairBlock{
		Pairs: make([]csr.Edge, 0, most), Found: make([]bool, 0, most), known: make([]csr.Edge, most), at: make([]int, most),
		out: make([]float64, most), newer: make([]bool, most),
	}
}

func (b *pairBlock) Add(u, v uint32, found bool) {
	b.Pairs, b.Found = append(b.Pairs, csr.Edge{U: u, V: v}), append(b.Found, found)
}

// Scores fills the scores of a block, pair by pair, with NaN where there are none.
func (s *loadedScoring) Scores(b *pairBlock, scores []float64, t *tally) {
	width := len(s.Scorers)
	clear(b.newer)
	for i, scorer := range s.Scorers {
		n := 0
		for j, e := range b.Pairs {
			if b.Found[j] && e.U < scorer.Rows && e.V < scorer.Rows {
				b.known[n], b.at[n] = e, j
				n++
			} else {
				scores[j*width+i] = math.NaN()
				b.newer[j] = true
			}
		}
		scorer.Batch(b.known[:n], b.out[:n])
		for k, j := range b.at[:n] {
			scores[j*width+i] = b.out[k]
		}
	}
	for j, found := range b.Found {
		if !found {
			t.Missing++
		} else if b.newer[j] {
			t.Newer++
		}
	}
}

// noteMissing gives notices of the numbers of pairs without a score, and the reasons.
func (s *loadedScoring) noteMissing(c *engine.Call) {
	if s.missing > 0 {
		c.Notice("%s a vertex that graph %s does not have", pairsName(s.missing), fault.Name(s.graph.Info.Name))
	}
	if s.newer > 0 {
		c.Notice("%s a vertex that is newer than the embedding", pairsName(s.newer))
	}
}

func pairsName(n int64) string {
	if n == 1 {
		return "1 pair names"
	}
	return fault.Count(n, "pair") + " name"
}

// noteModels gives notices of changes since the models of scorers were trained.
func noteModels(c *engine.Call, s *loadedScoring) error {
	noted := map[*boundModel]bool{}
	for _, w := range s.Scorers {
		if w.model == nil || noted[w.model] {
			continue
		}
		noted[w.model] = true
		info := w.model.info
		behind, err := entries.Behind(c, info.Graph, info.GraphVersion)
		if err != nil {
			return err
		}
		if behind > 0 {
			c.Notice("model %s was trained %s of graph %s ago", fault.Name(info.Name), fault.Count(int64(behind), "version"), fault.Name(info.Graph))
		}
		for i, space := range w.model.spaces {
			if of := info.Embeddings[i]; space.Info.Generation != of.Generation {
				c.Notice("embedding %s was refreshed since model %s was trained, from generation %d to %d", fault.Name(of.Name), fault.Name(info.Name), of.Generation, space.Info.Generation)
			}
		}
	}
	return nil
}

// readScored reads what scorers need for pairs, unless a scorer reads more of the graph than the
// rows of some vertices. also, which may be nil, reads more for the pair.
func readScored(c *engine.Call, found *scorerEntries, pairs []Pair, also func(p *storage.GraphPart, u, v uint32) error) error {
	if !found.readsPart() {
		return nil
	}
	var ends []uint32
	err := c.ReadPart(found.graph, nil, func(v *storage.GraphView, p *storage.GraphPart) error {
		for _, pair := range pairs {
			a, foundA, err := vertexIn(v, pair.Source)
			if err != nil {
				return err
			}
			b, foundB, err := vertexIn(v, pair.Target)
			if err != nil {
				return err
			}
			if !foundA || !foundB {
				continue
			}
			p.Name(a, b)
			ends = append(ends, a, b)
			for _, s := range found.scorers {
				if err := link.ReadPair(rowsOf(p, found.along), s.Name, a, b); err != nil {
					return err
				}
			}
			if also != nil {
				if err := also(p, a, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
	g := c.Graphs[found.graph.Name]
	if err != nil || g == nil || g.Vertices == nil {
		return err
	}
	for i, u := range ends {
		at, _ := slices.BinarySearch(g.Vertices, u)
		ends[i] = uint32(at)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for _, e := range found.embeddings() {
		if err := c.ReadRows(*e, ends); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf are the rows of a part of a graph that a scorer reads, in the undirected view or along the edges.
func rowsOf(p *storage.GraphPart, along bool) link.RowReader {
	if along {
		return link.RowReader{Read: p.Read, Out: p.Out, In: p.In}
	}
	return link.RowReader{Read: p.Read, Out: p.Neighbors, In: p.Neighbors}
}

// vertexIn returns the number of a vertex, and whether there is one of this key.
func vertexIn(v *storage.GraphView, key string) (uint32, bool, error) {
	u, err := v.Vertex(key)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, false, nil
	}
	return u, err == nil, err
}

func scoreColumns(with []catalogue.Scorer, further []string) []string {
	return slices.Concat([]string{"source", "target"}, further, scorerColumns(with))
}

// Row is the row of a table with the pair, its further columns and its scores.
func (p ScoredPair) Row() []rows.Value {
	row := make([]rows.Value, 0, 2+len(p.Further)+len(p.Scores))
	row = append(row, p.Source, p.Target)
	for _, text := range p.Further {
		row = append(row, text)
	}
	for _, x := range p.Scores {
		row = append(row, cells.Number(x))
	}
	return row
}
