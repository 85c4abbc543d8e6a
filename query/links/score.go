package links

import (
	"cmp"
	"context"
	"io"
	"time"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/rowfile"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/internal/textfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
)

// ScoreResult is the answer of Score.
type ScoreResult struct {
	Pairs   []ScoredPair  `json:"pairs"`   // that were given, in their order
	Missing int64         `json:"missing"` // number of pairs with an unknown vertex
	Scored  int64         `json:"scored"`  // number of pairs
	Seconds float64       `json:"seconds"`
	Notices []rows.Notice `json:"notices,omitempty"`

	stream  *engine.Stream[ScoredPair] // of a file, if neither Each nor Into is set
	further furtherColumns             // the columns of the stream
}

// scoreEntries are what a request names.
type scoreEntries struct {
	*scorerEntries
	further furtherColumns
}

var score = &engine.Statement[*parser.Score, ScoreRequest, scoreEntries, ScoreResult]{
	Help: help.Statement{
		Statement: "SCORE",
		Summary:   "scores how likely a link between two vertices is; SHOW SCORERS lists the scorers",
		Words:     "similarity adamic adar jaccard common neighbours pair probability link",
		Columns:   "source, target, and one column for each scorer",
	},
	Bind: func(b *engine.Binder, s *parser.Score) (req ScoreRequest) {
		req.Graph = b.MarkGraph(s.Graph, s)
		engine.Bind(b, "SCORE", scoreSchema(), s.Options, &req)
		for _, p := range s.Pairs {
			req.Pairs = append(req.Pairs, Pair{b.Key(fault.Vertex, p.U), b.Key(fault.Vertex, p.V)})
		}
		req.With = scorers(b, s.Scorers...)
		return req
	},
	Schema:  scoreSchema,
	Resolve: resolveScore,
	Plan: func(req ScoreRequest, found scoreEntries) *plan.Plan {
		return plan.Result("scores", fault.Count(int64(len(req.Pairs)), "pair"), found.partPlan(req.With))
	},
	Run:   runScore,
	Rows:  scoredRows,
	Reads: true,
}

var scoreFile = &engine.Statement[*parser.ScoreFile, ScoreRequest, scoreEntries, ScoreResult]{
	Help: help.Statement{
		Statement: "SCORE FILE",
		Summary:   "scores the pairs of a file of any length, in order",
		Detail:    "The input and the file of INTO FILE are text, Parquet or Arrow, by the endings of their names",
		Words:     "batch pairs candidates csv",
		Columns:   "source, target, the further columns of the file, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
	},
	Schema:  scoreFileSchema,
	Bind:    bindScoreFile,
	Resolve: resolveScore,
	Plan: func(req ScoreRequest, found scoreEntries) *plan.Plan {
		scores := scorePlan(req.With, found.inputs())
		scores.Inputs = append([]*plan.Plan{plan.Step("pairs", fault.Quote(session.InputName(req.Path))+req.some().String()+", 4096 at a time")}, scores.Inputs...)
		if req.Into != "" {
			if form := format.ColumnarOf(req.Into); form != "" {
				return engine.WrittenFile(form.Title(), req.Into, scores)
			}
			return plan.Result("CSV file", "to "+fault.Quote(req.Into), scores)
		}
		return plan.Result("scores", "streamed in the order of the file", scores)
	},
	Run:   runScore,
	Rows:  scoredRows,
	Reads: true,
}

// Score scores pairs of vertices. A pair with an unknown vertex is counted in
// Missing and stays in the result without scores. The pairs of a file of any length are scored in
// bounded memory, except with Top; they go to Each or Into.
func (s *Service) Score(ctx context.Context, req ScoreRequest) (ScoreResult, error) {
	if req.Path == "" {
		return score.Answer(ctx, s.db, req)
	}
	r, err := scoreFile.Answer(ctx, s.db, req)
	if r.stream != nil {
		r.stream.Close()
		return ScoreResult{}, fault.New(fault.Into, "the scores have neither a function nor a file as their destination")
	}
	return r, err
}

// scoreSchema has the options of SCORE of given pairs.
func scoreSchema() option.Schema[ScoreRequest] {
	return option.Schema[ScoreRequest]{scoreDirection(), baseRateField("is the score", func(r *ScoreRequest) *float64 { return &r.BaseRate })}
}

func scoreDirection() option.Field[ScoreRequest] {
	return scoring.DirectionField("a pair is scored as an edge from its source to its target, along the edges", func(r *ScoreRequest) *string { return &r.Direction })
}

// baseRateField is the option of the fraction of edges for which a model gives probabilities.
func baseRateField[T any](use string, at func(*T) *float64) option.Field[T] {
	return option.Float(baseRateOption, "fraction of edges among such pairs, such as 0.001, at which the probability of a model "+use+"; 0 is that of equal numbers of edges and other pairs", at).
		Where("a number from 0 to below 1", func(v any) bool { return v.(float64) >= 0 && v.(float64) < 1 })
}

func scoreFileSchema() option.Schema[ScoreRequest] {
	intoFile := func(r ScoreRequest) bool { return r.Into != "" }
	pairs := textfile.PairsFields(func(r *ScoreRequest) *format.HeaderMode { return &r.Header }, func(r *ScoreRequest) *string { return &r.Separator })
	some := engine.RangeFields("pair of the file", "pairs", func(r *ScoreRequest) *int64 { return &r.First }, func(r *ScoreRequest) **int64 { return &r.Count })
	some[0].Doc += "; a file of CSV that does not begin with number 0 has no header"
	return append(append(append(pairs, some...), scoreSchema()...),
		engine.OverwriteField(func(r *ScoreRequest) *bool { return &r.Overwrite }).With("INTO FILE", intoFile),
		option.String(columnsOption, "additional columns of the file to keep between the keys and the scores: all, none, or comma-separated names", func(r *ScoreRequest) *string { return &r.Columns }).OrElse(allColumns),
		option.Int("top", "number of pairs to keep for each source, the likeliest by the first scorer; 0 keeps all", func(r *ScoreRequest) *int { return &r.Top }).NotNegative().Rule(ScoreRequest.topOfAll),
		thresholdField("lowest score of the first scorer with which a pair is kept, or the largest distance if the scorer is a distance; none keeps all pairs", func(r *ScoreRequest) **float64 { return &r.Threshold }),
		option.Bool(fault.ResumeOption, "continue the file of an earlier run that was stopped, whose name ends in .part", func(r *ScoreRequest) *bool { return &r.Resume }).With("INTO FILE", intoFile).Rule(ScoreRequest.resumable))
}

func (req ScoreRequest) topOfAll() error {
	if req.Top > 0 && !req.some().All() {
		return fault.Rule("chooses among all pairs of the file, and cannot be combined with first and count")
	}
	return nil
}

func (req ScoreRequest) resumable() error {
	if req.Resume && req.inRows() {
		return fault.Rule("continues files of CSV without the option top, and no others")
	}
	return nil
}

func bindScoreFile(b *engine.Binder, s *parser.ScoreFile) ScoreRequest {
	req := ScoreRequest{Graph: b.MarkGraph(s.Graph, s), Path: b.Text(fault.File, s.Pairs), Into: b.TextOrNone(fault.Into, s.File), With: scorers(b, s.Scorers...)}
	engine.Bind(b, "SCORE FILE", scoreFileSchema(), s.Options, &req)
	return req
}

func resolveScore(c *engine.Call, req ScoreRequest) (found scoreEntries, err error) {
	if err := req.check(); err != nil {
		return found, err
	}
	if req.Path != "" {
		if err := checkScoreFile(c, req); err != nil {
			return found, err
		}
		if found.further, err = further(c, req.Path, req.Columns, req.reading(0), req.With); err != nil {
			return found, err
		}
	}
	if found.scorerEntries, err = findScorers(c, req.Graph, req.With); err != nil {
		return found, err
	}
	return found, cmp.Or(found.toward(req.Direction), found.atBaseRate(req.BaseRate), c.CheckRows(len(req.Pairs)))
}

// checkScoreFile refuses a request whose files or options cannot be used.
func checkScoreFile(c *engine.Call, req ScoreRequest) error {
	text := textfile.FormatMistake(format.EdgeListOptions{Header: req.Header, Separator: req.Separator}.Validate())
	if err := cmp.Or(text, c.CheckInput(req.Path, fault.File)); err != nil || req.Into == "" {
		return err
	}
	if err := cmp.Or(c.CheckOutput(req.Into, req.Overwrite, fault.Into), session.CheckEnding(req.Into, session.ScoreEndings)); err != nil {
		return err
	}
	return checkPart(c, req) // which looks for a file, and may not before the path was admitted
}

func runScore(c *engine.Call, req ScoreRequest, found scoreEntries) (ScoreResult, error) {
	if req.Path == "" {
		if err := readScored(c, found.scorerEntries, req.Pairs, nil); err != nil {
			return ScoreResult{}, err
		}
	}
	s, err := loadScoring(c, found.scorerEntries)
	if err != nil {
		return ScoreResult{}, err
	}
	found.further.notice(c)
	if req.Path != "" && req.Each == nil && req.Into == "" {
		return ScoreResult{further: found.further, stream: engine.StreamOf(c, func(f func(ScoredPair) error) error {
			req.Each = f
			_, err := scorePairs(c, s, req, found.further)
			return err
		})}, nil
	}
	return scorePairs(c, s, req, found.further)
}

// scorePairs scores the pairs of a request. It needs no store, so that rows of a file can be scored
// after it was closed.
func scorePairs(c *engine.Call, s *loadedScoring, req ScoreRequest, further furtherColumns) (r ScoreResult, err error) {
	began := time.Now()
	stop := c.Watch.Start(plan.Score)
	if req.Path == "" {
		r.Pairs, err = s.all(c, req.Pairs)
		r.Scored = int64(len(r.Pairs))
	} else {
		r.Scored, err = scoreThrough(c, s, req, further)
	}
	if err != nil {
		return ScoreResult{}, err
	}
	stop(r.Scored, "")
	s.noteMissing(c)
	r.Missing, r.Seconds, r.Notices = s.missing, time.Since(began).Seconds(), c.Notices
	return r, nil
}

// scoreThrough scores the pairs of a file, and returns their number.
func scoreThrough(c *engine.Call, s *loadedScoring, req ScoreRequest, further furtherColumns) (int64, error) {
	in, size, err := c.OpenInput(req.Path, fault.File)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	opts := req.reading(size)
	switch {
	case req.Into == "":
		return s.chosen(c, in, opts, req.choice(), further, req.Each)
	case req.inRows():
		return scoreRowsInto(c, s, in, opts, req, further)
	}
	return scoreInto(c, s, in, opts, req, further)
}

// scoreRowsInto writes the pairs that a request keeps into a file that appears when it is
// complete.
func scoreRowsInto(c *engine.Call, s *loadedScoring, in io.Reader, opts format.EdgeListOptions, req ScoreRequest, further furtherColumns) (total int64, err error) {
	form, err := engine.RowForm(engine.RowsRequest{Path: req.Into})
	if err != nil {
		return 0, err
	}
	notes := []columnar.Note{{Key: "heavytail.graph", Text: s.graph.Info.Name}}
	err = c.WriteFile(req.Into, req.Overwrite, func(out io.Writer) error {
		w := rowfile.New(out, form, scoreColumns(req.With, further.names), further.types(len(req.With)), notes)
		if total, err = s.chosen(c, in, opts, req.choice(), further, func(p ScoredPair) error { return w.Row(further.row(p)) }); err != nil {
			return err
		}
		return w.Close()
	})
	return total, err
}

// scoredRows are the scores, or with INTO FILE a row about the file.
func scoredRows(req ScoreRequest, r ScoreResult) *rows.Rows {
	switch {
	case r.stream != nil:
		lines := r.stream.Rows(scoreColumns(req.With, r.further.names), r.further.row)
		return lines.Continued(req.First > 0).TypedFrom(2, append(make([]rows.ColumnType, len(r.further.names)), cells.ScoreTypes(len(req.With))...))
	case req.Into != "":
		return cells.RowsOf([]string{"file", "pairs", "missing", "seconds"}, [][]rows.Value{{req.Into, r.Scored, r.Missing, r.Seconds}})
	}
	return cells.RowsOf(scoreColumns(req.With, nil), lists.Map(r.Pairs, ScoredPair.Row)).TypedFrom(2, cells.ScoreTypes(len(req.With)))
}
