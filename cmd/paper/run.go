package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heavytail/embedding"
	"heavytail/query"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Config sets what is run, and how.
type Config struct {
	Data   string   // folder of the graphs
	Out    string   // folder of the journal, the store and the report
	Graphs []string // names of graphs; empty means all
	Calls  []string // of methods: methods with their options; empty means all with their defaults
	Quick  bool     // leave out what takes long

	Progress func(rows.Progress) // receives the progress of each step; may be nil
	Log      func(line string)   // receives every step; may be nil
}

// experiment is a run.
type experiment struct {
	config  Config
	graphs  []dataset
	figures figures
	db      *query.DB
	journal *journal
}

// step is one statement of an experiment.
type step struct {
	statement string // identifies the step
	file      string // the value of $file
	about     string // a description for the log
	cost      float64
	prepare   func(context.Context) error // runs before the statement, unless nil
	optional  bool                        // if its options cannot be used on the graph, it has no answer

	// answer, unless nil, runs instead of the statement, which is then only the name of
	// the step.
	answer func(context.Context) (columns []string, rows [][]any, err error)
}

// runSteps makes the steps that are not in the journal yet, and returns the report as Markdown.
// It writes the report of the finished steps after each of them, and also returns it if ctx
// ends or a step fails, with the error. The steps are listed again after each of them, because
// some follow from the answers of others.
func runSteps(ctx context.Context, config Config, graphs []dataset, steps func(*experiment) []step, write func(*experiment) string) (report string, err error) {
	e := &experiment{config: config, graphs: graphs}
	if err := e.open(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.db.Close(), e.journal.close()) }()
	for {
		next, err := e.next(steps(e))
		if err == nil && next != nil {
			err = e.make(ctx, *next)
		}
		report = write(e)
		err = errors.Join(err, os.WriteFile(filepath.Join(config.Out, "report.md"), []byte(report), 0o600))
		if err != nil || next == nil {
			return report, err
		}
	}
}

// open checks that the files of the graphs exist and opens store and journal.
func (e *experiment) open() (err error) {
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
	if e.config.Log == nil {
		e.config.Log = func(string) {}
	}
	if err := os.MkdirAll(e.config.Out, 0o700); err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	store, finished := filepath.Join(e.config.Out, "paper.ht"), filepath.Join(e.config.Out, "journal.ndjson")
	if err := startOver(store, finished); err != nil {
		return err
	}
	if e.db, err = query.Open(store, &query.Options{Progress: e.config.Progress}); err != nil {
		return err
	}
	if e.journal, err = openJournal(finished); err != nil {
		return errors.Join(err, e.db.Close())
	}
	return nil
}

func (e *experiment) data(name string) string { return filepath.Join(e.config.Data, name) }

// next returns the first step that is not in the journal, nil if there is none, and logs it
// with an estimate of the remaining time.
func (e *experiment) next(steps []step) (*step, error) {
	var next *step
	finished, done, seconds, left, count := 0, 0.0, 0.0, 0.0, map[string]bool{}
	for i, s := range steps {
		if count[s.statement] {
			continue
		}
		count[s.statement] = true
		if answer, there := e.journal.done[s.statement]; there {
			finished++
			done, seconds = done+s.cost, seconds+answer.Seconds
			continue
		}
		left += s.cost
		if next == nil {
			next = &steps[i]
			defer func() {
				line := fmt.Sprintf("step %d of %d: %s", finished+1, len(count), next.about)
				if done > 0 {
					line += fmt.Sprintf("; about %v left", time.Duration(left/done*seconds*float64(time.Second)).Round(time.Second))
				}
				e.config.Log(line)
			}()
		}
	}
	return next, nil
}

// make runs one step and writes its answer into the journal.
func (e *experiment) make(ctx context.Context, s step) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("paper: %s: %w", s.about, err)
		}
	}()
	if s.prepare != nil {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	began, processor := time.Now(), processorSeconds()
	done := entry{Statement: s.statement}
	if s.answer != nil {
		done.Columns, done.Rows, err = s.answer(ctx)
	} else {
		err = e.ask(ctx, s, &done)
	}
	if s.optional && errors.Is(err, embedding.ErrOptions) {
		e.config.Log(err.Error())
		err = nil
	}
	if err != nil {
		return err
	}
	for _, row := range done.Rows {
		for i, v := range row {
			if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
				row[i] = nil // JSON has neither NaN nor infinity
			}
		}
	}
	done.Seconds = math.Round(time.Since(began).Seconds()*1000) / 1000
	done.Processor = math.Round((processorSeconds()-processor)*1000) / 1000
	return e.journal.add(done)
}

// ask runs a statement and stores its answer in done.
func (e *experiment) ask(ctx context.Context, s step, done *entry) error {
	var parameters map[string]any
	if s.file != "" {
		parameters = map[string]any{"file": s.file}
	}
	rows, err := e.db.Query(ctx, s.statement, parameters)
	if err != nil {
		return err
	}
	defer rows.Close()
	done.Columns = rows.Columns()
	for rows.Next() {
		done.Rows = append(done.Rows, slices.Clone(rows.Row()))
	}
	return rows.Err()
}

// loading returns the steps that bring a graph and its labels into the store.
func (e *experiment) loading(d dataset) []step {
	list := []step{{statement: d.load(), about: d.name, cost: 0.2, prepare: e.dropping(d.name)}}
	if d.file != "" {
		list[0].file = e.data(d.file)
	}
	if d.labels == "" {
		return list
	}
	table := filepath.Join(e.config.Out, d.name+"-labels.csv")
	return append(list, step{
		statement: "IMPORT VERTICES $file INTO " + d.name, file: table, about: "labels of " + d.name, cost: 0.2,
		prepare: func(context.Context) error { return writeLabels(e.data(d.labels), table) },
	})
}

// dropping returns a function that removes a graph, which a killed process may have left
// behind.
func (e *experiment) dropping(graph string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := e.db.Graphs().Drop(ctx, graph, true); !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		return nil
	}
}

// first returns the first row of the answer of a finished step, nil if there is none.
func (e *experiment) first(statement string) values {
	return e.journal.done[statement].values(nil)
}

// processor returns the processor seconds of finished steps.
func (e *experiment) processor(statements ...string) (seconds float64) {
	for _, s := range statements {
		seconds += e.journal.done[s].Processor
	}
	return seconds
}

// choose returns those of the graphs that a configuration selects.
func choose(config Config, graphs []dataset) ([]dataset, error) {
	known := graphNames(graphs)
	for _, asked := range config.Graphs {
		if !slices.Contains(known, strings.ToLower(asked)) {
			return nil, fmt.Errorf("%w %q: expected %s", ErrGraph, asked, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(graphs, func(d dataset) bool {
		if len(config.Graphs) > 0 {
			return !slices.ContainsFunc(config.Graphs, func(asked string) bool { return strings.EqualFold(asked, d.name) })
		}
		return config.Quick && d.large
	}), nil
}
