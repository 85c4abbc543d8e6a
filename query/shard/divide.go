package shard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/query/parser"
)

// Forms are the statements that can be divided, for messages.
func Forms() string {
	return "SCORE FILE … INTO FILE 'x.csv' or 'x.parquet', NEAREST … FOR ALL … INTO FILE 'x.csv' or 'x.parquet', " +
		"EXPORT WALKS … INTO FILE 'x.txt' or 'x.parquet', RECONSTRUCT … RADIUS | EPSILON … INTO FILE 'x.edges', " +
		"MATERIALIZE PREDICTIONS …, EVALUATE LINKS … or EVALUATE PARAMETERS …"
}

// divisibleOf returns a statement in a form that can be divided, nil for one that cannot. Each form
// has a file.
func divisibleOf(s parser.Statement) divisible {
	switch s := s.(type) {
	case *parser.ScoreFile:
		return scoreFile{s}
	case *parser.ExportWalks:
		return exportWalks{s}
	case *parser.Materialize:
		return materialize{s}
	case *parser.Reconstruct:
		if s.File != nil && s.Threshold.Kind != parser.Auto {
			return reconstruct{s}
		}
	case *parser.IntoFile:
		if n, ok := s.Statement.(*parser.NearestFor); ok {
			return nearestFor{n, s}
		}
	}
	switch inner := unwrapped(s).(type) {
	case *parser.EvaluateLinks:
		return trials{s, inner, inner.Graph.Name}
	case *parser.EvaluateParameters:
		return trials{s, inner, inner.Graph.Name}
	}
	return nil
}

// divide parses a statement and returns it in a form that can be divided.
func divide(text string) (divisible, parser.Statement, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	work := divisibleOf(statement)
	if work == nil {
		return nil, nil, undivided(statement)
	}
	if w, ok := work.(written); ok {
		path, ok := w.output().(parser.String)
		if !ok || !slices.Contains(w.endings(), filepath.Ext(path.Value)) {
			return nil, nil, fmt.Errorf("%w: INTO FILE must name a file that ends in %s", ErrStatement, strings.Join(w.endings(), " or "))
		}
	}
	return work, statement, nil
}

// undivided returns the reason why a statement cannot be divided, for statements that users may
// try to divide.
func undivided(s parser.Statement) error {
	if _, ok := unwrapped(s).(*parser.Tune); ok {
		return fmt.Errorf("%w: TUNE chooses each trial by the scores of those before it; EVALUATE PARAMETERS tries values that are given, and can be divided", ErrStatement)
	}
	return fmt.Errorf("%w: expected %s", ErrStatement, Forms())
}
