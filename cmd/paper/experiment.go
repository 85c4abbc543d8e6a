package main

import (
	"path/filepath"
	"slices"
	"time"

	"heavytail/query"
	"heavytail/query/rows"
)

// Config sets which experiments are run, and how.
type Config struct {
	Data   string        // folder of the graphs
	Out    string        // folder of the journal, the store and the tables
	Graphs []string      // names of Graphs; empty means all
	Only   []string      // names of Kinds; empty means all
	Budget time.Duration // of each search by TUNE
	Trials int           // of each search; unless 0 it replaces Budget, and the same number gives the same tables
	Quick  bool          // only some steps of QuickKinds, which take ten minutes on two processors

	Progress func(rows.Progress) // receives the progress of each step; may be nil
	Log      func(line string)   // receives every step; may be nil
}

// Names of the files in Config.Out.
const (
	storeName   = "paper.ht"
	journalName = "journal.ndjson"
	reportName  = "tables.md"
	csvName     = "tables.csv"
)

// experiment is a run.
type experiment struct {
	config  Config
	graphs  []dataset
	uses    []use
	figures figures
	db      *query.DB
	journal *journal
	clock   clock
}

// path returns the path of a file in the folder of results, and data that of a
// file in the folder of graphs.
func (e *experiment) path(name string) string { return filepath.Join(e.config.Out, name) }

// reported returns the graphs of this run and of earlier runs.
func (e *experiment) reported() []dataset {
	list := slices.Clone(e.graphs)
	for _, d := range datasets() {
		_, loaded := e.journal.done[d.load()]
		if loaded && !slices.ContainsFunc(list, func(other dataset) bool { return other.name == d.name }) {
			list = append(list, d)
		}
	}
	return list
}

// makes reports whether steps of a kind are run.
func (c Config) makes(kind string) bool {
	if c.Quick && !slices.Contains(QuickKinds(), kind) {
		return false
	}
	return len(c.Only) == 0 || slices.Contains(c.Only, kind)
}

func (e *experiment) data(name string) string { return filepath.Join(e.config.Data, name) }
