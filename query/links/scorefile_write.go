package links

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

// SCORE FILE … INTO FILE: one goroutine reads pairs, several look up keys, score
// and format text, and one writes the text to the file in the order of the pairs.

// scoreSection is the number of pairs between two syncs to disk: enough that
// syncing costs little and compression works well; they take 0.1 to 10 seconds.
// It is a number of pairs and not a time, so that the bytes of a compressed file
// are always the same.
const scoreSection = 64 * scoreBatch

// scoreState is stored with every section of a file of scores.
type scoreState struct {
	Basis   scoreBasis
	Pairs   int64 // number of pairs in the file
	Missing int64
	Newer   int64
}

// scoreBasis identifies the input of the scores. If any field changes, the file
// cannot be continued.
type scoreBasis struct {
	Input     string
	Size      int64
	Modified  int64 // nanoseconds
	Header    string
	Separator string
	Threshold string
	BaseRate  float64
	Further   []int // columns
	Range     engine.RowRange
	Along     bool // pairs have a direction
	Graph     string
	GraphID   uint64
	Version   uint64
	Committed int64 // nanoseconds; time of this version, because a different store can have a graph with the same name and numbers
	Columns   []string
	Sources   []string // what the scorers read, such as generations of embeddings
}

// differs describes the first difference; "" if there is none.
func (b scoreBasis) differs(now scoreBasis) string {
	switch {
	case b.Input != now.Input:
		return fmt.Sprintf("the pairs were those of %s", fault.Quote(b.Input))
	case b.Size != now.Size || b.Modified != now.Modified:
		return fmt.Sprintf("file %s has changed since", fault.Quote(b.Input))
	case b.Header != now.Header || b.Separator != now.Separator:
		return "the options header and separator were different"
	case b.Threshold != now.Threshold:
		return "the option threshold was different"
	case b.BaseRate != now.BaseRate:
		return "the option base_rate was different"
	case b.Along != now.Along:
		return "the option direction was different"
	case !b.Range.Equal(now.Range):
		return "the options first and count were different"
	case !slices.Equal(b.Further, now.Further):
		return "the option columns was different"
	case b.Graph != now.Graph || b.GraphID != now.GraphID:
		return fmt.Sprintf("the graph was %s", fault.Name(b.Graph))
	case b.Version != now.Version:
		return fmt.Sprintf("graph %s has version %d, and had %d", fault.Name(b.Graph), now.Version, b.Version)
	case b.Committed != now.Committed:
		return fmt.Sprintf("graph %s was dropped and recreated, or is that of another file", fault.Name(b.Graph))
	case fmt.Sprint(b.Columns) != fmt.Sprint(now.Columns):
		return "the scorers were different"
	case fmt.Sprint(b.Sources) != fmt.Sprint(now.Sources):
		return "what the scorers read has changed since"
	}
	return ""
}

func newScoreBasis(c *engine.Call, s *loadedScoring, req ScoreRequest, further []int) (scoreBasis, error) {
	b := scoreBasis{
		Input: req.Path, Header: req.Header.String(), Separator: req.Separator, Columns: scorerColumns(req.With), Further: further, Range: req.some(),
		BaseRate: req.BaseRate, Along: s.along != nil, Graph: s.graph.Info.Name, GraphID: s.graph.Info.ID, Version: s.graph.Info.Version,
		Committed: s.graph.Info.Modified.UnixNano(),
	}
	if req.Threshold != nil {
		b.Threshold = fmt.Sprint(*req.Threshold)
	}
	for _, sp := range s.spaces {
		b.Sources = append(b.Sources, fmt.Sprintf("%s@%d of %d", sp.Info.Name, sp.Info.Generation, sp.Info.Created.UnixNano()))
	}
	for _, w := range s.Scorers {
		if w.model != nil {
			b.Sources = append(b.Sources, fmt.Sprintf("model %s of %d", w.model.info.Name, w.model.info.Created.UnixNano()))
		}
	}
	if req.Path == "-" {
		return b, nil
	}
	info, err := c.DB.Files.Stat(req.Path)
	if err != nil {
		return b, session.FileMistake(req.Path, fault.File, err)
	}
	b.Size, b.Modified = info.Size(), info.ModTime().UnixNano()
	return b, nil
}

// checkPart returns an Error if an unfinished file of an earlier run exists,
// unless the request continues or replaces it.
func checkPart(c *engine.Call, req ScoreRequest) error {
	if req.Resume && req.Path == "-" {
		return fault.New(fault.Option(fault.ResumeOption), "a run that reads standard input cannot be resumed")
	}
	if req.Resume || req.Overwrite {
		return nil
	}
	if _, err := c.DB.Files.Lstat(req.Into + atomicfile.PartEnding); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Into, "file %s of an earlier run is unfinished", fault.Quote(req.Into+atomicfile.PartEnding)).
			WithOption("to continue it", fault.ResumeOption, "true").WithOption("to begin again", session.OverwriteOption, "true").WithErr(atomicfile.ErrPart)
	}
	return nil
}

// openScorePart begins the file of scores, or opens the unfinished file of an earlier run
// and returns its state.
func openScorePart(c *engine.Call, s *loadedScoring, req ScoreRequest, further []int) (*atomicfile.Part, scoreState, error) {
	basis, err := newScoreBasis(c, s, req, further)
	if err != nil {
		return nil, scoreState{}, err
	}
	state := scoreState{Basis: basis}
	if req.Resume {
		part, noted, err := atomicfile.OpenPart(c.DB.Files.Folder, req.Into)
		if err == nil {
			return resume(c, part, noted, state, req)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, state, session.FileMistake(req.Into+atomicfile.PartEnding, fault.Into, err)
		}
	}
	part, err := atomicfile.CreatePart(c.DB.Files.Folder, req.Into, req.Resume || req.Overwrite)
	return part, state, session.FileMistake(req.Into+atomicfile.PartEnding, fault.Into, err)
}

// resume reads the state that an earlier run has stored, and compares it with the
// request.
func resume(c *engine.Call, part *atomicfile.Part, noted []byte, state scoreState, req ScoreRequest) (*atomicfile.Part, scoreState, error) {
	var old scoreState
	reason := ""
	if json.Unmarshal(noted, &old) != nil || old.Pairs < 0 {
		reason = "its state file was written by another version of heavytail"
	} else {
		reason = old.Basis.differs(state.Basis)
	}
	if reason != "" {
		e := fault.New(fault.Option(fault.ResumeOption), "file %s cannot be continued: %s", fault.Quote(req.Into+atomicfile.PartEnding), reason).
			WithOption("to begin again without resume", session.OverwriteOption, "true").WithErr(atomicfile.ErrPart)
		return nil, state, errors.Join(e, part.Suspend())
	}
	c.Notice("continued after %s", fault.Count(old.Pairs, "pair"))
	return part, old, nil
}

func scoreInto(c *engine.Call, s *loadedScoring, in io.Reader, opts format.EdgeListOptions, req ScoreRequest, further furtherColumns) (int64, error) {
	part, state, err := openScorePart(c, s, req, further.numbers())
	if err != nil {
		return 0, err
	}
	w := &scoreWriter{s: s, call: c, choice: req.choice(), further: further, stride: 2 + len(further.list), part: part, state: state, keep: req.Path != "-", section: cmp.Or(c.DB.Opts.ScoreSection, scoreSection)}
	err = w.run(c.Ctx, c.Workers(), in, opts)
	s.missing, s.newer = w.state.Missing, w.state.Newer
	if err == nil {
		return w.state.Pairs, part.Commit(req.Overwrite)
	}
	if w.keep && w.noted > 0 {
		return 0, &fault.PartError{File: req.Into + atomicfile.PartEnding, Pairs: w.noted, Err: errors.Join(err, part.Suspend())}
	}
	return 0, errors.Join(err, part.Discard())
}

type scoreWriter struct {
	s       *loadedScoring
	call    *engine.Call
	choice  scoreChoice
	further furtherColumns
	stride  int // texts of a pair: its keys, and the values of further columns
	part    *atomicfile.Part
	state   scoreState // state of the pairs that are written
	noted   int64      // pairs that are durable
	keep    bool       // the state of sections is stored, because the input can be read again

	section int64 // number of pairs of a section, a multiple of the batch
}

// pairBatch is some pairs on their way from the input to the file.
type pairBatch struct {
	text  []byte // the keys and further values, concatenated
	ends  []int  // of them in text
	out   []byte // the lines of the file
	tally tally
	ready chan struct{} // out is complete
}

// pairBatches is the key of a sync.Pool of *pairBatch: buffers that a later call uses again.
type pairBatches struct{}

func (w *scoreWriter) run(ctx context.Context, workers int, in io.Reader, opts format.EdgeListOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.noted = w.state.Pairs
	batches := batchesOf(workers)
	kept := w.call.DB.Local(pairBatches{}, func() any { return new(sync.Pool) }).(*sync.Pool)
	free, work, order := make(chan *pairBatch, batches), make(chan *pairBatch, batches), make(chan *pairBatch, batches)
	for range batches {
		b, kept := kept.Get().(*pairBatch)
		if !kept {
			b = &pairBatch{ready: make(chan struct{}, 1)}
		}
		free <- b
	}
	var scorers, writer sync.WaitGroup
	for range workers {
		scorers.Go(func() {
			for b := range work {
				w.fill(ctx, b)
				b.ready <- struct{}{}
			}
		})
	}
	writer.Go(func() {
		for b := range order {
			<-b.ready
			if ctx.Err() == nil {
				if err := w.write(b); err != nil {
					cancel(err)
				}
			}
			b.text, b.ends, b.tally = b.text[:0], b.ends[:0], tally{}
			free <- b
		}
	})
	err := w.read(ctx, in, opts, func(b *pairBatch) { order <- b; work <- b }, free)
	close(work)
	close(order)
	scorers.Wait()
	writer.Wait()
	for len(free) > 0 { // all but the one that was not sent because of an error
		kept.Put(<-free)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (w *scoreWriter) read(ctx context.Context, in io.Reader, opts format.EdgeListOptions, send func(*pairBatch), free <-chan *pairBatch) error {
	if w.state.Pairs == 0 && w.choice.some.First == 0 {
		line := appendHead(nil, slices.Concat([]string{"source", "target"}, w.further.names, w.state.Basis.Columns))
		if _, err := w.part.Write(line); err != nil {
			return err
		}
	}
	skip := w.state.Pairs
	b, size, sent := <-free, scoreBatch, 0
	err := readPairs(w.call, ctx, in, opts, w.choice.some, w.further, func(source, target []byte, values [][]byte) error {
		if skip > 0 {
			skip--
			return nil
		}
		b.text = append(b.text, source...)
		b.ends = append(b.ends, len(b.text))
		b.text = append(b.text, target...)
		b.ends = append(b.ends, len(b.text))
		for _, v := range values {
			b.text = append(b.text, v...)
			b.ends = append(b.ends, len(b.text))
		}
		if len(b.ends) < w.stride*size {
			return nil
		}
		send(b)
		sent += size
		size = w.s.batch(sent)
		b = <-free
		return ctx.Err()
	})
	if err == nil && skip > 0 {
		err = fmt.Errorf("the input has fewer pairs than in the earlier run")
	}
	if err == nil {
		send(b)
	}
	return err
}

// write appends a batch to the file, and ends a section that is full.
func (w *scoreWriter) write(b *pairBatch) error {
	if _, err := w.part.Write(b.out); err != nil {
		return err
	}
	w.state.Pairs += int64(len(b.ends) / w.stride)
	w.state.Missing += b.tally.Missing
	w.state.Newer += b.tally.Newer
	if !w.keep || len(b.ends) == 0 || w.state.Pairs%w.section != 0 {
		return nil
	}
	state, err := json.Marshal(w.state)
	if err == nil {
		err = w.part.Section(state)
	}
	if err == nil {
		w.noted = w.state.Pairs
	}
	return err
}

// fill scores the pairs of a batch and writes the lines of those that are kept.
func (w *scoreWriter) fill(ctx context.Context, b *pairBatch) {
	s := w.s
	b.out = b.out[:0]
	width, stride, pairs := len(s.Scorers), w.stride, len(b.ends)/w.stride
	size := min(s.block(), pairs)
	scores := make([]float64, size*width)
	block := newPairBlock(size)
	for first, start := 0, 0; first < pairs; first += size {
		if ctx.Err() != nil {
			return
		}
		block.Pairs, block.Found = block.Pairs[:0], block.Found[:0]
		at := start
		for i := first; i < min(first+size, pairs); i++ {
			ends := b.ends[stride*i : stride*(i+1)]
			u, foundU := s.graph.VertexOf(b.text[at:ends[0]])
			v, foundV := s.graph.VertexOf(b.text[ends[0]:ends[1]])
			at = ends[stride-1]
			block.Add(u, v, foundU && foundV)
		}
		s.Scores(block, scores, &b.tally)
		for j := range block.Pairs {
			ends := b.ends[stride*(first+j) : stride*(first+j+1)]
			if !w.choice.keeps(scores[j*width]) {
				start = ends[stride-1]
				continue
			}
			for i, end := range ends {
				if i > 0 {
					b.out = append(b.out, ',')
				}
				b.out = appendField(b.out, b.text[start:end])
				start = end
			}
			for _, x := range scores[j*width : (j+1)*width] {
				b.out = append(b.out, ',')
				b.out = appendScore(b.out, x)
			}
			b.out = append(b.out, '\n')
		}
	}
}

func appendHead(dst []byte, columns []string) []byte {
	for i, column := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendField(dst, []byte(column))
	}
	return append(dst, '\n')
}

// appendField appends a field of CSV, in quotes where a reader needs them: it has a
// comma, a quote or a line end, begins with a blank, or is \., which some readers
// take for the end of the file.
func appendField(dst, field []byte) []byte {
	plain := true
	if first, _ := utf8.DecodeRune(field); unicode.IsSpace(first) {
		plain = false
	}
	for _, c := range field {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			plain = false
			break
		}
	}
	if plain && string(field) != `\.` {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for _, c := range field {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendScore appends a score with the fewest digits that parse to the same
// number, and nothing for NaN.
func appendScore(dst []byte, x float64) []byte {
	if math.IsNaN(x) {
		return dst
	}
	if n := int64(x); float64(n) == x && n > -1_000_000 && n < 1_000_000 && (n != 0 || !math.Signbit(x)) {
		return strconv.AppendInt(dst, n, 10)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}
