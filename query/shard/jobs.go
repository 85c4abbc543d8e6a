package shard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/query/parser"
)

var jobs = []job{
	scoreFileJob, nearestForJob, exportWalksJob, reconstructJob, materializeJob, evaluateLinksJob, evaluateParametersJob,
}

// Forms are the statements that can be divided, for messages.
func Forms() string {
	var forms []string
	for _, j := range jobs {
		forms = append(forms, j.form)
	}
	last := len(forms) - 1
	return strings.Join(forms[:last], ", ") + " or " + forms[last]
}

// divide parses a statement and returns it in a form that can be divided.
func divide(text string) (divisible, parser.Statement, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	var work divisible
	for _, j := range jobs {
		if work = j.take(statement); work != nil {
			break
		}
	}
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
