package query

import (
	"context"
	"io"
	"time"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage/format"
)

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
	// Resume continues the .part of Into that an earlier call has left, whatever
	// stopped it: no line is lost or repeated, and the bytes are those of a call that
	// was never stopped. It is refused if the input, the graph, the scorers or what
	// they read have changed. Without such a file it begins one.
	Resume bool

	stream bool // the rows of the statement take the pairs
}

// ScoreFileResult is the answer of ScoreFile.
type ScoreFileResult struct {
	Pairs   int64    `json:"pairs"`
	Missing int64    `json:"missing"` // pairs without a vertex that they name
	Seconds float64  `json:"seconds"`
	Notices []Notice `json:"notices,omitempty"`

	stream *stream[ScoredPair] // instead of all that
}

var scoreFile = &statement[*parser.ScoreFile, ScoreFileRequest, *scorerEntries, ScoreFileResult]{
	help: Help{
		Statement: "SCORE FILE", Syntax: "SCORE FILE 'pairs' [IN graph] WITH scorer | scorer(embedding) | model(model), … [INTO FILE 'file'] [WITH (option := value, …)]",
		Summary: "scores the pairs of a file of any length, in order",
		Columns: "source, target, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
		Options: scoreFileOptions(),
		Example: "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'",
	},
	bind:    bindScoreFile,
	resolve: resolveScoreFile,
	plan: func(req ScoreFileRequest, found *scorerEntries) *plan.Plan {
		scores := found.plan(req.With)
		scores.Inputs = append([]*plan.Plan{plan.Step("pairs", fault.Quote(session.InputName(req.Path))+", 4096 at a time")}, scores.Inputs...)
		if req.Into != "" {
			return plan.Result("CSV file", "to "+fault.Quote(req.Into), scores)
		}
		return plan.Result("scores", "streamed in the order of the file", scores)
	},
	run:   runScoreFile,
	rows:  scoreFileRows,
	reads: true,
}

// ScoreFile scores the pairs of a file of any length, in bounded memory.
func (db *DB) ScoreFile(ctx context.Context, req ScoreFileRequest) (ScoreFileResult, error) {
	return scoreFile.answer(ctx, db, req)
}

// headerSetting returns what the first line of a file of pairs is.
func headerSetting(s bind.Settings) (format.HeaderMode, error) {
	text := s.Text("header")
	if text == "" {
		return format.HeaderAuto, nil
	}
	return format.ParseHeader(text)
}

// scoreFileOptions are the options of SCORE FILE.
func scoreFileOptions() []OptionInfo {
	return append(pairsOptions(), overwriteOption(),
		OptionInfo{Name: "resume", Type: "bool", Default: "FALSE", Doc: "continue the file of an earlier run that was stopped; its name ends in .part"})
}

func bindScoreFile(b *binder, s *parser.ScoreFile) (req ScoreFileRequest, err error) {
	req.Graph = b.graphOf(s, s.Graph)
	if req.Path, err = b.Text(fault.File, s.Pairs); err != nil {
		return req, err
	}
	if req.stream = s.File == nil; !req.stream {
		if req.Into, err = b.Text(fault.Into, s.File); err != nil {
			return req, err
		}
	}
	set, err := b.Settings("SCORE FILE", scoreFileOptions(), s.Options)
	if err != nil {
		return req, err
	}
	for _, o := range []string{"overwrite", "resume"} {
		if _, given := set[o]; given && req.stream {
			return req, fault.OfOption(o, "has no meaning without INTO FILE")
		}
	}
	req.Overwrite, req.Resume = set.Bool("overwrite"), set.Bool("resume")
	if req.Header, err = headerSetting(set); err != nil {
		return req, err
	}
	req.With, req.Separator = b.scorers(s.Scorers...), set.Text("separator")
	return req, nil
}

func resolveScoreFile(c *call, req ScoreFileRequest) (*scorerEntries, error) {
	if req.Each == nil && req.Into == "" && !req.stream {
		return nil, fault.New(fault.Into, "neither a function nor a file takes the scores")
	}
	if req.Header == format.HeaderCounts {
		return nil, fault.New(fault.Option("header"), "a file of pairs has no header of counts")
	}
	if err := formatMistake(format.EdgeListOptions{Header: req.Header, Separator: req.Separator}.Validate()); err != nil {
		return nil, err
	}
	if err := c.CheckInput(req.Path, fault.File); err != nil {
		return nil, err
	}
	if req.Into != "" {
		if err := c.CheckOutput(req.Into, req.Overwrite, fault.Into); err != nil {
			return nil, err
		}
		if err := session.CheckEnding(req.Into, session.ScoreEndings); err != nil {
			return nil, err
		}
		if err := c.checkPart(req); err != nil {
			return nil, err
		}
	}
	return c.scorerEntries(req.Graph, req.With)
}

func runScoreFile(c *call, req ScoreFileRequest, found *scorerEntries) (ScoreFileResult, error) {
	s, err := c.scoring(found)
	if err != nil {
		return ScoreFileResult{}, err
	}
	if req.stream {
		return ScoreFileResult{stream: streamOf(c, func(f func(ScoredPair) error) error {
			req.Each = f
			_, err := c.scoreFile(s, req)
			return err
		})}, nil
	}
	return c.scoreFile(s, req)
}

// scoreFile scores a file. It needs no store, so that rows can be scored after it was
// closed.
func (c *call) scoreFile(s *scoring, req ScoreFileRequest) (ScoreFileResult, error) {
	in, size, err := c.OpenInput(req.Path, fault.File)
	if err != nil {
		return ScoreFileResult{}, err
	}
	defer in.Close()
	began := time.Now()
	stop := c.Watch.Start(plan.Score)
	var total int64
	opts := format.EdgeListOptions{
		Name: session.InputName(req.Path), Header: req.Header, Separator: req.Separator,
		Size: size, Progress: c.Meter.Update,
	}
	if req.Into == "" {
		total, err = s.file(c, in, opts, req.Each)
	} else {
		total, err = c.scoreInto(s, in, opts, req)
	}
	if err != nil {
		return ScoreFileResult{}, err
	}
	stop(total, "")
	s.noteMissing(c)
	return ScoreFileResult{Pairs: total, Missing: s.missing, Seconds: time.Since(began).Seconds(), Notices: c.Notices}, nil
}

// file scores the pairs of a file in order, a batch at a time: while the file
// is read, at most one batch is in memory.
func (s *scoring) file(c *call, in io.Reader, opts format.EdgeListOptions, each func(ScoredPair) error) (int64, error) {
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
		for _, p := range scored {
			if err := each(p); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := format.ReadPairs(c.Ctx, in, opts, func(source, target []byte) error {
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

func scoreFileRows(req ScoreFileRequest, r ScoreFileResult) *Rows {
	if r.stream != nil {
		return r.stream.rows(scoreColumns(req.With), ScoredPair.row)
	}
	return rowsOf([]string{"file", "pairs", "missing", "seconds"}, [][]Value{{req.Into, r.Pairs, r.Missing, r.Seconds}})
}
