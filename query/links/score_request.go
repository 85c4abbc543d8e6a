package links

import (
	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/storage/format"
)

// ScoreRequest asks for the scores of pairs: of some that are given, or of those in a file.
type ScoreRequest struct {
	Pairs []Pair // that are given, without Path
	// Path is a text file of two columns, separated by white space, tab, comma or
	// semicolon, plain or compressed; or a Parquet file, of which it reads the
	// columns with known names or else the first two. "-" is Options.Input.
	Path string
	// Graph has the vertices of the pairs. It may be empty if an embedding or
	// a model determines it, or if the file has one graph.
	Graph string
	With  []catalogue.Scorer // at least one
	// Direction is that of pairs of a directed graph: "out", the default, scores an edge from Source to Target
	// along the edges of the graph, as link.NewAlong does; "both" reads the undirected view. Embeddings and models
	// have the same score in both directions.
	Direction string
	// BaseRate is the fraction of edges among such pairs, below 1, at which models give probabilities; Explain shows
	// them in addition. 0 is that of equal numbers of edges and other pairs.
	BaseRate float64

	// The following fields are for the pairs in a file.

	Header    format.HeaderMode // the meaning of the first line; format.HeaderCounts is an error
	Separator string            // as in format.EdgeListOptions
	// Columns are the further columns of the file that go between the keys and the
	// scores, in their order: "" or "all" for all, "none", or names with commas between
	// them; without a header they are called column3 and so on. One whose name is that of
	// another column of the answer gets a number. Of standard input there are none.
	Columns string
	// First is the number of the first pair, from 0, and Count the largest number of pairs, nil
	// for all that follow. The pairs before the first one are read and left out.
	First int64
	Count *int64
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
	// compressed, and .parquet, .arrow, .feather and .arrows make columnar files. An existing file is an error, unless Overwrite is
	// set. Until the file is complete, its name ends in .part, and it is synced to disk after every
	// quarter of a million pairs. A columnar file, or a file with Top, appears only when it is complete.
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
func (req ScoreRequest) inRows() bool {
	return req.Top > 0 || format.ColumnarOf(req.Into) != ""
}

// check returns an Error for what contradicts itself.
func (req ScoreRequest) check() error {
	switch {
	case req.Path != "" && len(req.Pairs) > 0:
		return fault.New(fault.File, "both pairs and a file of pairs are given")
	case req.Path == "" && (!req.some().All() || req.Top != 0 || req.Threshold != nil || req.Each != nil || req.Into != ""):
		return fault.New(fault.File, "only the pairs in a file are chosen, and written to a file")
	case req.Into == "-":
		return fault.New(fault.Into, "'-' is not a file that can be written").WithRemedy("leave out INTO FILE to print the pairs")
	}
	return nil
}

func (req ScoreRequest) reading(size int64) format.EdgeListOptions {
	return format.EdgeListOptions{
		Name: session.InputName(req.Path), Header: req.Header, Separator: req.Separator,
		Size: size,
	}
}

func (req ScoreRequest) some() engine.RowRange {
	return engine.RowRange{First: req.First, Count: req.Count}
}

func (req ScoreRequest) choice() scoreChoice {
	return scoreChoice{req.some(), req.Top, req.Threshold, link.NewScoring(req.With[0].Name, nil).HigherIsLikelier}
}
