package paper

import (
	"path/filepath"
	"slices"
	"time"

	"heavytail/query"
)

// Config says what to do.
type Config struct {
	Data   string        // folder of the graphs
	Out    string        // folder of the journal, the store and the tables
	Graphs []string      // of Graphs; none is all
	Only   []string      // kinds of steps, of Kinds; none is all
	Budget time.Duration // of each search by TUNE
	Trials int           // of each search, instead of the budget, unless 0; the same number gives the same tables
	Quick  bool          // only steps of QuickKinds, and of these what takes ten minutes of two processors

	Progress func(query.Progress) // of the step that runs; may be nil
	Log      func(line string)    // receives every step; may be nil
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

// path is a file in the folder of results, data one in that of the graphs.
func (e *experiment) path(name string) string { return filepath.Join(e.config.Out, name) }

// reported are the graphs of the run, and those of runs before it.
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

// makes says whether steps of a kind are made.
func (c Config) makes(kind string) bool {
	if c.Quick && !slices.Contains(QuickKinds(), kind) {
		return false
	}
	return len(c.Only) == 0 || slices.Contains(c.Only, kind)
}

func (e *experiment) data(name string) string { return filepath.Join(e.config.Data, name) }
