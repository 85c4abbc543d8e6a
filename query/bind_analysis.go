package query

import (
	"heavytail/query/parser"
	"heavytail/storage/format"
)

// This file binds the statements that compute: embeddings, searches,
// reconstructions and scores.

// embedOptions are the options of EMBED itself.
func embedOptions() []OptionInfo {
	return []OptionInfo{{Name: "state", Type: "bool", Default: "TRUE",
		Doc: "store what REFRESH needs beside the vectors; without, it runs in full"}}
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
		given: given, text: s.Method.String(), background: s.Background,
	}
	set, err := b.settings("EMBED", embedOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	state, stated := set["state"]
	op.req.Stateless = stated && !state.(bool)
	op.found, err = b.resolveEmbed(op.req, given)
	return op, err
}

func (b *binder) nearestStatement(s *parser.Nearest) (operation, error) {
	op := &nearestOp{where: s.Where}
	op.req.Exact = s.Exact
	var err error
	if op.req.K, err = b.size(partCount, s.Count); err != nil {
		return nil, err
	}
	if s.To == nil {
		op.req.Examples, err = b.examples(s.Examples)
	} else {
		op.req.Vertex, op.req.Vector, err = b.target(s.To)
	}
	if err != nil {
		return nil, err
	}
	if op.req.Embedding, op.req.Metric, err = b.space(s.Using); err != nil {
		return nil, err
	}
	op.req.Fresh = s.Fresh
	where, err := b.searchWhere(s.Where, op.req.Embedding, op.req.Vector == nil)
	if err != nil {
		return nil, err
	}
	op.req.Where, op.req.Attributes = where.admits, where.attributes
	if s.Fresh { // what it finds is not there before it runs
		_, _, err = b.present(op.req.Embedding)
		return op, err
	}
	op.found, err = b.resolveNearest(op.req)
	return op, err
}

func (b *binder) withinStatement(s *parser.Within) (operation, error) {
	op := &withinOp{where: s.Where, threshold: s.Threshold}
	op.req.Exact = s.Exact
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
	where, err := b.searchWhere(s.Where, op.req.Embedding, op.req.Vector == nil)
	if err != nil {
		return nil, err
	}
	op.req.Where, op.req.Attributes = where.admits, where.attributes
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
func reconstructOptions() []OptionInfo { return append(sweepOptions("AUTO"), overwriteOption()) }

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
	if err := sweepSettings(&op.req, set); err != nil {
		return nil, err
	}
	op.req.Overwrite = set.boolean("overwrite")
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

// pairsOptions are the options of statements that read a file of pairs.
func pairsOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "header", Type: "text", Default: "'auto'", Choices: []string{"auto", "none", "names"}, Doc: "whether the first line has column names or is a pair"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what stands between columns: auto, whitespace, tab, comma, semicolon or bar"},
	}
}

// headerSetting returns what the first line of a file of pairs is.
func headerSetting(s settings) (format.HeaderMode, error) {
	text := s.text("header")
	if text == "" {
		return format.HeaderAuto, nil
	}
	return format.ParseHeader(text)
}

// scoreFileOptions are the options of SCORE FILE.
func scoreFileOptions() []OptionInfo {
	return append(pairsOptions(), overwriteOption(),
		OptionInfo{Name: "resume", Type: "bool", Default: "FALSE", Doc: "go on with the file of an earlier run that was stopped; its name ends in .part"})
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
	for _, o := range []string{"overwrite", "resume"} {
		if _, given := set[o]; given && op.req.Into == "" {
			return nil, mistake(partOption(o), "option %s has no meaning without INTO FILE", o)
		}
	}
	op.req.Overwrite, op.req.Resume = set.boolean("overwrite"), set.boolean("resume")
	if op.req.Header, err = headerSetting(set); err != nil {
		return nil, err
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
		switch {
		case s.Of == nil:
		case s.Name.Name == modelScorer:
			with[i].Model = s.Of.Name
		default:
			with[i].Embedding = s.Of.Name
		}
	}
	return with
}
