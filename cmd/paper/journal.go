package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
)

// entry is a step that was finished: a statement and its answer.
type entry struct {
	Statement string   `json:"statement"`
	Seconds   float64  `json:"seconds"`
	Processor float64  `json:"processor,omitempty"` // processor seconds; 0 if unknown
	Columns   []string `json:"columns,omitempty"`
	Rows      [][]any  `json:"rows,omitempty"`
}

// values are the numbers of a row by their columns.
type values map[string]float64

// get returns a number, NaN if there is none.
func (v values) get(column string) float64 {
	if x, there := v[column]; there {
		return x
	}
	return math.NaN()
}

// rows returns the rows of the answer as maps from column to value.
func (e entry) rows() []map[string]any {
	var list []map[string]any
	for _, r := range e.Rows {
		row := map[string]any{}
		for i, c := range e.Columns {
			row[c] = r[i]
		}
		list = append(list, row)
	}
	return list
}

// values returns the numbers of the first row that is chosen, nil if there is none. Nil
// chooses any.
func (e entry) values(chosen func(row map[string]any) bool) values {
	for _, row := range e.rows() {
		if chosen != nil && !chosen(row) {
			continue
		}
		list := values{}
		for name, value := range row {
			switch v := value.(type) {
			case float64:
				list[name] = v
			case int64:
				list[name] = float64(v)
			}
		}
		return list
	}
	return nil
}

// journal keeps finished steps in a file, one a line. It is not safe for
// concurrent use.
type journal struct {
	file *os.File
	done map[string]entry // by statement
}

// took returns the seconds of all finished steps, by the clock and of processors.
func (j *journal) took() (seconds, processor float64) {
	for _, statement := range slices.Sorted(maps.Keys(j.done)) { // in one order: sums of floats depend on it
		seconds += j.done[statement].Seconds
		processor += j.done[statement].Processor
	}
	return seconds, processor
}

// openJournal opens the journal at path, or creates it. It removes an incomplete
// last line, which a killed process may have left.
func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("paper: journal: %w", err)
	}
	j := &journal{file: file, done: map[string]entry{}}
	whole, err := j.read()
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("paper: journal %s: %w", path, err), file.Close())
	}
	return j, nil
}

// read reads the entries and returns how many bytes the complete ones take.
func (j *journal) read() (whole int64, err error) {
	reader := bufio.NewReader(j.file)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return whole, fmt.Errorf("byte %d: %w", whole, err)
		}
		j.done[e.Statement] = e
		whole += int64(len(line))
	}
}

// add writes a finished step to the disk, so that it is kept if the process or
// the machine stops.
func (j *journal) add(e entry) error {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("paper: journal: %w", err)
	}
	j.done[e.Statement] = e
	return nil
}

func (j *journal) close() error { return j.file.Close() }

// startOver empties the journal if the store with its embeddings no longer
// exists.
func startOver(store, path string) error {
	if _, err := os.Stat(store); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("paper: journal: %w", err)
	}
	return nil
}
