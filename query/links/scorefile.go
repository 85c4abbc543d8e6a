package links

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"time"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/rowfile"
	"heavytail/query/internal/session"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/format"
)

// ScoreFileRequest asks to score the pairs in a file.
type ScoreFileRequest struct {
	// Path is a text file of two columns, separated by white space, tab, comma or
	// semicolon, plain or compressed; or a Parquet file, of which it reads the
	// columns with known names or else the first two. "-" is Options.Input.
	Path      string
	Graph     string // as in ScoreRequest
	With      []catalogue.Scorer
	Header    format.HeaderMode // the meaning of the first line; format.HeaderCounts is an error
	Separator string            // as in format.EdgeListOptions
	// Columns are the further columns of the file that go between the keys and the
	// scores, in their order: "" or "all" for all, "none", or names with commas between
	// them; without a header they are called column3 and so on. One whose name is that of
	// another column of the answer gets a number. Of standard input there are none.
	Columns string
	// Bytes asks for the pairs of a part of the file, which must be a plain text of two
	// columns without quotes and comments; format.PairsIn has the conditions. Nil is all.
	Bytes *format.Span
	// Threshold keeps the pairs whose first score is at least the threshold, or at
	// most the threshold if the scorer is a distance; nil keeps all.
	Threshold *float64
	// Top keeps that many pairs of each source, the likeliest by the first score; of
	// equal pairs the first ones in the file are kept. 0 keeps all. The sources are
	// written in the order of their first pairs, and pairs without a score are left
	// out. The kept pairs are in memory until the end of the file.
	Top int
	// Each is called for every pair in the order of the file, if Into is empty.
	// It may keep the slice of scores. If it returns an error, the call ends
	// and returns that error unchanged.
	Each func(ScoredPair) error
	// Into is the CSV file to write the pairs and scores to; a name that ends in .gz or .zst is
	// compressed, and .parquet makes a Parquet file. An existing file is an error, unless Overwrite is
	// set. Until the file is complete, its name ends in .part, and it is synced to disk after every
	// quarter of a million pairs. A Parquet file, or a file with Top, appears only when it is complete.
	Into      string
	Overwrite bool
	// Resume continues the .part file of Into that an earlier call has left, whatever
	// stopped that call: no line is lost or repeated, and the bytes are the same as
	// without the interruption. It is an error if the input, the graph, the scorers
	// or the objects that they read have changed. If there is no .part file, the call
	// begins one.
	Resume bool
}

// inRows reports whether the file of a request is written as a whole instead of in sections.
func (req ScoreFileRequest) inRows() bool {
	return req.Top > 0 || format.Ending(req.Into) == ".parquet"
}

// ScoreFileResult is the answer of ScoreFile.
type ScoreFileResult struct {
	Pairs   int64         `json:"pairs"`
	Missing int64         `json:"missing"` // pairs without a vertex that they name
	Seconds float64       `json:"seconds"`
	Notices []rows.Notice `json:"notices,omitempty"`

	stream  *engine.Stream[ScoredPair] // used instead of the other fields if neither Each nor Into is set
	further furtherColumns             // the columns of the stream
}

// scoreFileEntries are what a request names.
type scoreFileEntries struct {
	*scorerEntries
	Further furtherColumns
}

var scoreFile = &engine.Statement[*parser.ScoreFile, ScoreFileRequest, scoreFileEntries, ScoreFileResult]{
	Help: help.Statement{
		Statement: "SCORE FILE",
		Summary:   "scores the pairs of a file of any length, in order; the input and the file of INTO FILE are text or Parquet, by the endings of their names",
		Columns:   "source, target, the further columns of the file, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
		Example:   "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'",
	},
	Options: scoreFileOptions,
	Bind:    bindScoreFile,
	Resolve: resolveScoreFile,
	Plan: func(req ScoreFileRequest, found scoreFileEntries) *plan.Plan {
		scores := scorePlan(req.With, found.inputs())
		scores.Inputs = append([]*plan.Plan{plan.Step("pairs", fault.Quote(session.InputName(req.Path))+", 4096 at a time")}, scores.Inputs...)
		if req.Into != "" {
			if format.Ending(req.Into) == ".parquet" {
				return engine.WrittenFile("Parquet", req.Into, scores)
			}
			return plan.Result("CSV file", "to "+fault.Quote(req.Into), scores)
		}
		return plan.Result("scores", "streamed in the order of the file", scores)
	},
	Run: runScoreFile,
	Rows: func(req ScoreFileRequest, r ScoreFileResult) *rows.Rows {
		if r.stream != nil {
			lines := r.stream.Rows(scoreColumns(req.With, r.further.names), r.further.row)
			return lines.TypedFrom(2, append(make([]rows.ColumnType, len(r.further.names)), cells.ScoreTypes(len(req.With))...))
		}
		return cells.RowsOf([]string{"file", "pairs", "missing", "seconds"}, [][]rows.Value{{req.Into, r.Pairs, r.Missing, r.Seconds}})
	},
	Reads: true,
}

// ScoreFile scores the pairs of a file of any length, in bounded memory, except with Top.
func (s *Service) ScoreFile(ctx context.Context, req ScoreFileRequest) (ScoreFileResult, error) {
	r, err := scoreFile.Answer(ctx, s.db, req)
	if r.stream != nil {
		r.stream.Close()
		return ScoreFileResult{}, fault.New(fault.Into, "the scores have neither a function nor a file as their destination")
	}
	return r, err
}

func scoreFileOptions() []help.Option {
	return append(textfile.PairsOptions(), engine.OverwriteOption(),
		help.Option{Name: "columns", Type: "text", Default: "'all'", Doc: "additional columns of the file to keep between the keys and the scores: all, none, or comma-separated names"},
		help.Option{Name: "bytes", Type: "text", Default: "'all'", Doc: "range of bytes to read, such as '4096-8192', without the last one; for a plain text of two columns without quotes and comments; both offsets must be at the beginning of a line or the end of the file"},
		help.Option{Name: "top", Type: "int", Default: "0", Doc: "number of pairs to keep for each source, the likeliest by the first scorer; 0 keeps all"},
		help.Option{Name: "threshold", Type: "float", Default: "'none'", Choices: []string{"none"}, Doc: "lowest score of the first scorer with which a pair is kept, or the largest distance if the scorer is a distance; none keeps all pairs"},
		help.Option{Name: "resume", Type: "bool", Default: "FALSE", Doc: "continue the file of an earlier run that was stopped, whose name ends in .part"})
}

func bindScoreFile(b *engine.Binder, s *parser.ScoreFile) ScoreFileRequest {
	req := ScoreFileRequest{Graph: b.MarkGraph(s.Graph, s), Path: b.Text(fault.File, s.Pairs)}
	req.Into = b.TextOrNone(fault.Into, s.File)
	set := b.Settings("SCORE FILE", scoreFileOptions(), s.Options)
	b.OnlyWith("INTO FILE", s.File != nil, set, "overwrite", "resume")
	req.Overwrite, req.Resume = set.Bool("overwrite"), set.Bool("resume")
	if x, given := set["threshold"].(float64); given {
		req.Threshold = &x
	}
	req.Top = set.Size("top")
	if text, given := set["bytes"].(string); given && text != allColumns {
		span, err := format.ParseSpan(text)
		if err != nil {
			b.Fail(fault.OfOption("bytes", "is %s, and must be two offsets with a hyphen between them, such as 0-4096", fault.QuoteKey(text)))
		}
		req.Bytes = &span
	}
	req.Header = textfile.Header(b, set)
	req.With, req.Separator, req.Columns = scorers(b, s.Scorers...), set.Text("separator"), set.Text("columns")
	return req
}

func resolveScoreFile(c *engine.Call, req ScoreFileRequest) (found scoreFileEntries, err error) {
	if err := checkScoreFile(c, req); err != nil {
		return found, err
	}
	if found.Further, err = further(c, req.Path, req.Columns, req.reading(0), req.With); err != nil {
		return found, err
	}
	found.scorerEntries, err = findScorers(c, req.Graph, req.With)
	return found, err
}

func (req ScoreFileRequest) reading(size int64) format.EdgeListOptions {
	return format.EdgeListOptions{
		Name: session.InputName(req.Path), Header: req.Header, Separator: req.Separator,
		Size: size,
	}
}

// checkScoreFile refuses a request whose files or options cannot be used.
func checkScoreFile(c *engine.Call, req ScoreFileRequest) error {
	text := textfile.FormatMistake(format.EdgeListOptions{Header: req.Header, Separator: req.Separator}.Validate())
	if err := cmp.Or(req.checkChoice(), text, c.CheckInput(req.Path, fault.File)); err != nil || req.Into == "" {
		return err
	}
	if err := cmp.Or(c.CheckOutput(req.Into, req.Overwrite, fault.Into), session.CheckEnding(req.Into, session.ScoreEndings)); err != nil {
		return err
	}
	return checkPart(c, req) // which looks for a file, and may not before the path was admitted
}

// checkChoice returns an Error for options that contradict each other.
func (req ScoreFileRequest) checkChoice() error {
	switch {
	case req.Top < 0:
		return fault.OfOption("top", "is %d, and must not be negative", req.Top)
	case req.Threshold != nil && math.IsNaN(*req.Threshold):
		return fault.OfOption("threshold", "is %v, and must be a number", *req.Threshold)
	case req.Into == "-":
		return fault.New(fault.Into, "'-' is not a file that can be written").WithRemedy("leave out INTO FILE to print the pairs")
	case req.Resume && req.inRows():
		return fault.OfOption("resume", "continues files of CSV without the option top, and no others")
	case req.Header == format.HeaderCounts:
		return fault.New(fault.Option("header"), "a file of pairs has no header of counts")
	}
	return nil
}

func runScoreFile(c *engine.Call, req ScoreFileRequest, found scoreFileEntries) (ScoreFileResult, error) {
	s, err := loadScoring(c, found.scorerEntries)
	if err != nil {
		return ScoreFileResult{}, err
	}
	found.Further.notice(c)
	if req.Each == nil && req.Into == "" {
		return ScoreFileResult{further: found.Further, stream: engine.StreamOf(c, func(f func(ScoredPair) error) error {
			req.Each = f
			_, err := writeScoreFile(c, s, req, found.Further)
			return err
		})}, nil
	}
	return writeScoreFile(c, s, req, found.Further)
}

// writeScoreFile scores a file. It needs no store, so that rows can be scored after it was
// closed.
func writeScoreFile(c *engine.Call, s *loadedScoring, req ScoreFileRequest, further furtherColumns) (ScoreFileResult, error) {
	in, size, err := c.OpenInput(req.Path, fault.File)
	if err != nil {
		return ScoreFileResult{}, err
	}
	defer in.Close()
	began := time.Now()
	stop := c.Watch.Start(plan.Score)
	var total int64
	pairs, opts, err := pairsOf(c, in, size, req)
	if err != nil {
		return ScoreFileResult{}, err
	}
	switch {
	case req.Into == "":
		total, err = s.chosen(c, pairs, opts, req.choice(), further, req.Each)
	case req.inRows():
		total, err = scoreRowsInto(c, s, pairs, opts, req, further)
	default:
		total, err = scoreInto(c, s, pairs, opts, req, further)
	}
	if err != nil {
		return ScoreFileResult{}, err
	}
	stop(total, "")
	s.noteMissing(c)
	return ScoreFileResult{Pairs: total, Missing: s.missing, Seconds: time.Since(began).Seconds(), Notices: c.Notices}, nil
}

// pairsOf returns the pairs that a request asks for, of its open file.
func pairsOf(c *engine.Call, in io.Reader, size int64, req ScoreFileRequest) (io.Reader, format.EdgeListOptions, error) {
	opts := req.reading(size)
	if req.Bytes == nil {
		return in, opts, nil
	}
	file, ok := in.(io.ReaderAt)
	if !ok {
		return nil, opts, fault.OfOption("bytes", "applies only to a file")
	}
	pairs, opts, err := format.PairsIn(c.Ctx, file, size, *req.Bytes, opts)
	if errors.Is(err, format.ErrSpan) {
		return nil, opts, fault.OfOption("bytes", "is %s, and %v", *req.Bytes, err).WithErr(errors.Join(fault.ErrInvalid, err))
	}
	return pairs, opts, err
}

func (req ScoreFileRequest) choice() scoreChoice {
	return scoreChoice{req.Top, req.Threshold, link.NewScoring(req.With[0].Name, nil).HigherIsLikelier}
}

// scoreRowsInto writes the pairs that a request keeps into a file that appears when it is
// complete.
func scoreRowsInto(c *engine.Call, s *loadedScoring, in io.Reader, opts format.EdgeListOptions, req ScoreFileRequest, further furtherColumns) (total int64, err error) {
	form, err := engine.RowForm(engine.RowsRequest{Path: req.Into})
	if err != nil {
		return 0, err
	}
	notes := []format.Note{{Key: "heavytail.graph", Text: s.graph.Info.Name}}
	err = c.WriteFile(req.Into, req.Overwrite, func(out io.Writer) error {
		w := rowfile.New(out, form, scoreColumns(req.With, further.names), further.types(len(req.With)), notes)
		if total, err = s.chosen(c, in, opts, req.choice(), further, func(p ScoredPair) error { return w.Row(further.row(p)) }); err != nil {
			return err
		}
		return w.Close()
	})
	return total, err
}
