package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"heavytail/query"
)

// Run runs the steps of the experiments that are not in the journal yet, and writes the
// tables after each of them. It returns the report as Markdown. If ctx ends or a step
// fails, Run writes the tables of the finished steps, and returns both the report and the
// error.
func Run(ctx context.Context, config Config) (report string, err error) {
	graphs, err := choose(config.Graphs)
	if err != nil {
		return "", err
	}
	return run(ctx, config, graphs, uses())
}

func run(ctx context.Context, config Config, graphs []dataset, uses []use) (report string, err error) {
	e := &experiment{config: config, graphs: graphs, uses: uses}
	if err := e.open(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.db.Close(), e.journal.close()) }()
	if left := e.leftOut(); left != "" {
		e.config.Log(strings.Trim(left, "\n"))
	}
	failed := e.runSteps(ctx, e.steps, e.write)
	report, err = e.write()
	return report, errors.Join(failed, err, e.draw())
}

// open checks the configuration and opens store and journal.
func (e *experiment) open() (err error) {
	if e.figures, err = readFigures(); err != nil {
		return err
	}
	for _, d := range e.graphs {
		if err := e.need(d.name, d.file, d.labels); err != nil {
			return err
		}
	}
	return e.openAt(storeName, journalName)
}

// need returns an error if a file of a graph is missing.
func (e *experiment) need(graph string, files ...string) error {
	for _, file := range files {
		if _, err := os.Stat(e.data(file)); err != nil {
			return fmt.Errorf("paper: graph %s: %w", graph, err)
		}
	}
	return nil
}

// openAt opens the store and the journal of the given names.
func (e *experiment) openAt(store, journal string) (err error) {
	if e.config.Log == nil {
		e.config.Log = func(string) {}
	}
	if err := os.MkdirAll(e.config.Out, 0o700); err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	if err := startOver(e.path(store), e.path(journal)); err != nil {
		return err
	}
	if e.db, err = query.Open(e.path(store), &query.Options{Progress: e.config.Progress}); err != nil {
		return err
	}
	if e.journal, err = openJournal(e.path(journal)); err != nil {
		return errors.Join(err, e.db.Close())
	}
	return nil
}

// runAt runs steps with the store and the journal of the given names, and returns the report
// that write writes.
func (e *experiment) runAt(ctx context.Context, store, journal string, of func() []step, write func() (string, error)) (report string, err error) {
	if err := e.openAt(store, journal); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.db.Close(), e.journal.close()) }()
	failed := e.runSteps(ctx, of, write)
	report, err = write()
	return report, errors.Join(failed, err)
}

// runSteps runs those steps that are not in the journal, and writes the tables after each
// of them.
func (e *experiment) runSteps(ctx context.Context, of func() []step, write func() (string, error)) error {
	for {
		steps := of()
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
		if _, err := write(); err != nil {
			return err
		}
	}
}

// announce logs which step begins, and how long the remaining steps will take.
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
	began, processor := time.Now(), processorSeconds()
	done := entry{Statement: s.statement}
	var err error
	if s.answer != nil {
		done.Columns, done.Rows, err = s.answer(ctx)
	} else {
		err = e.ask(ctx, s, &done)
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
	rows, err := e.db.Query(ctx, s.statement, map[string]any{"file": s.file})
	if err != nil {
		return err
	}
	defer rows.Close()
	done.Columns = rows.Columns()
	for rows.Next() {
		done.Rows = append(done.Rows, slices.Clone(rows.Row()))
	}
	for _, n := range rows.Notices() {
		done.Notices = append(done.Notices, n.String())
	}
	return rows.Err()
}
