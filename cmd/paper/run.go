package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"heavytail/query"
)

// Config says what to do.
type Config struct {
	Data   string        // folder of the graphs
	Out    string        // folder of the journal, the store and the tables
	Graphs []string      // of Graphs; none is all
	Budget time.Duration // of each search by TUNE
	Trials int           // of each search, instead of the budget, unless 0; the same number gives the same tables

	Progress func(query.Progress) // of the step that runs; may be nil
	Log      func(line string)    // hears of every step; may be nil
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

// Run makes the steps of the experiments that are not in the journal yet, and
// writes the tables after each of them. It returns the report as
// Markdown. When ctx ends, or a step fails, the tables of what is there are
// written, and the report comes with the error.
func Run(ctx context.Context, config Config) (report string, err error) {
	graphs, err := choose(config.Graphs)
	if err != nil {
		return "", err
	}
	return run(ctx, config, graphs, uses())
}

// run is Run for these graphs and uses of methods.
func run(ctx context.Context, config Config, graphs []dataset, uses []use) (report string, err error) {
	e := &experiment{config: config, graphs: graphs, uses: uses}
	if err := e.open(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.db.Close(), e.journal.close()) }()
	failed := e.run(ctx)
	report, err = e.write()
	return report, errors.Join(failed, err)
}

// open checks the configuration and opens store and journal.
func (e *experiment) open() (err error) {
	if e.config.Log == nil {
		e.config.Log = func(string) {}
	}
	if e.figures, err = readFigures(); err != nil {
		return err
	}
	for _, d := range e.graphs {
		for _, file := range []string{d.file, d.labels} {
			if _, err := os.Stat(e.data(file)); err != nil {
				return fmt.Errorf("paper: graph %s: %w", d.name, err)
			}
		}
	}
	if err := os.MkdirAll(e.config.Out, 0o755); err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	if err := startOver(e.path(storeName), e.path(journalName)); err != nil {
		return err
	}
	if e.db, err = query.Open(e.path(storeName), &query.Options{Progress: e.config.Progress}); err != nil {
		return err
	}
	if e.journal, err = openJournal(e.path(journalName)); err != nil {
		return errors.Join(err, e.db.Close())
	}
	return nil
}

// path is a file in the folder of results, data one in that of the graphs.
func (e *experiment) path(name string) string { return filepath.Join(e.config.Out, name) }
func (e *experiment) data(name string) string { return filepath.Join(e.config.Data, name) }

// run makes the steps that are left.
func (e *experiment) run(ctx context.Context) error {
	for {
		steps := e.steps()
		e.clock = clock{}
		next, left := -1, 0.0
		for i, s := range steps {
			if done, there := e.journal.done[s.statement]; there {
				e.clock.add(s.cost, done.Seconds)
				continue
			}
			left += s.cost
			if next < 0 {
				next = i
			}
		}
		if next < 0 {
			return nil
		}
		s := steps[next]
		e.announce(s, next, len(steps), left)
		if err := e.step(ctx, s); err != nil {
			return fmt.Errorf("paper: %s: %s: %w", s.graph.name, s.about, err)
		}
		if _, err := e.write(); err != nil {
			return err
		}
	}
}

// announce says which step begins, and how long the rest will take.
func (e *experiment) announce(s step, i, of int, left float64) {
	line := fmt.Sprintf("step %d of %d: %s: %s", i+1, of, s.graph.name, s.about)
	if rest := e.clock.left(left).Round(time.Second); rest > 0 {
		line += fmt.Sprintf("; about %v left", rest)
	}
	e.config.Log(line)
}

// step runs one statement and writes its answer into the journal.
func (e *experiment) step(ctx context.Context, s step) error {
	if s.prepare != nil {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	began := time.Now()
	rows, err := e.db.Query(ctx, s.statement, map[string]any{"file": s.file})
	if err != nil {
		return err
	}
	defer rows.Close()
	done := entry{Statement: s.statement, Columns: rows.Columns()}
	for rows.Next() {
		row := make([]any, len(rows.Row()))
		for i, v := range rows.Row() {
			if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
				v = nil // which JSON cannot have
			}
			row[i] = v
		}
		done.Rows = append(done.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, n := range rows.Notices() {
		done.Notices = append(done.Notices, n.String())
	}
	done.Seconds = math.Round(time.Since(began).Seconds()*1000) / 1000
	return e.journal.add(done)
}
