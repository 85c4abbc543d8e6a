// Package trial has the parts of statements that consist of trials: embeddings and measurements
// that do not depend on each other, and from whose figures the answer is computed at the end. One
// process writes the figures of some trials with a [Writer], and another one computes the answer
// from the figures that a [Reader] returns.
//
// A part is text: a line of JSON that identifies the part, and then a line for each trial, with
// its figures as JSON. Numbers are the shortest that are read back as the same float, so that
// answers are the same to the last bit; NaN is null.
package trial

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"heavytail/storage"
)

// form names the form of a part.
const form = "heavytail trials 1"

type head struct {
	Form      string `json:"form"`
	Statement string `json:"statement"`
	Version   uint64 `json:"version"`  // of the graph
	Modified  int64  `json:"modified"` // time of that version, in nanoseconds of Unix time
	All       int64  `json:"all"`      // trials of the statement
	First     int64  `json:"first"`    // trials of the part
	Count     int64  `json:"count"`
}

// of completes a head with the graph that the trials have read.
func (h head) of(graph storage.GraphInfo) head {
	h.Form, h.Version, h.Modified = form, graph.Version, graph.Modified.UnixNano()
	return h
}

// String describes a part in errors.
func (h head) String() string {
	return fmt.Sprintf("trials %d to %d of %d of %q, version %d of %d", h.First, h.First+h.Count, h.All, h.Statement, h.Version, h.Modified)
}

// Writer writes a part.
type Writer struct {
	head head
	out  *bufio.Writer
	json *json.Encoder
	done int64
}

// NewWriter begins a part with count trials, beginning with number first, of a statement of all
// trials.
func NewWriter(w io.Writer, statement string, all, first, count int64) *Writer {
	out := bufio.NewWriterSize(w, 1<<16)
	return &Writer{head: head{Statement: statement, All: all, First: first, Count: count}, out: out, json: json.NewEncoder(out)}
}

// Of writes the head of the part. It must be called first.
func (w *Writer) Of(graph storage.GraphInfo) error { return w.json.Encode(w.head.of(graph)) }

// Range returns the numbers of the first trial and after the last one.
func (w *Writer) Range() (first, end int64) { return w.head.First, w.head.First + w.head.Count }

// Write writes the figures of the next trial.
func (w *Writer) Write(figures any) error {
	w.done++
	return w.json.Encode(figures)
}

// Close ends the part. It is an error if figures are missing.
func (w *Writer) Close() error {
	if w.done != w.head.Count {
		return fmt.Errorf("%d of %d trials were written", w.done, w.head.Count)
	}
	return w.out.Flush()
}

// Reader reads the figures of all trials of a statement from its parts.
type Reader struct {
	want head // First is the trial of which the figures come next
	left []func() (io.ReadCloser, error)
	file io.ReadCloser // of the part that is read; nil between two parts
	json *json.Decoder
	end  int64 // number behind the last trial of the part
}

// NewReader reads parts, in the order of their trials. Each is read to its end, and an error
// of its Close counts. all is the number of the trials.
func NewReader(parts []func() (io.ReadCloser, error), statement string, all int64) *Reader {
	return &Reader{want: head{Statement: statement, All: all}, left: parts}
}

// Of sets the graph that the trials must have read. It must be called first.
func (r *Reader) Of(graph storage.GraphInfo) { r.want = r.want.of(graph) }

// Read reads the figures of the next trial. After the last one it also checks that the parts have
// no further bytes. A part of a different statement or graph, or a changed one, is
// storage.ErrInvalid.
func (r *Reader) Read(into any) error {
	for r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	if err := r.json.Decode(into); err != nil {
		return fault(fmt.Sprintf("trial %d", r.want.First), err)
	}
	if r.want.First++; r.want.First == r.end {
		if err := r.finish(); err != nil {
			return err
		}
	}
	for r.want.First == r.want.All && len(r.left) > 0 {
		if err := r.open(); err != nil {
			return err
		}
	}
	return nil
}

// open opens the next part. One without trials is closed again.
func (r *Reader) open() error {
	if len(r.left) == 0 {
		return fmt.Errorf("the parts have %d of %d trials: %w", r.want.First, r.want.All, storage.ErrInvalid)
	}
	file, err := r.left[0]()
	if err != nil {
		return err
	}
	r.left, r.file, r.json = r.left[1:], file, json.NewDecoder(bufio.NewReaderSize(file, 1<<16))
	var h head
	if err := r.json.Decode(&h); err != nil {
		return fault("its first line", err)
	}
	want := r.want
	want.Count = h.Count
	if h != want || h.Count < 0 || h.Count > h.All-h.First {
		return fmt.Errorf("a part is of %s, expected %s: %w", h, want, storage.ErrInvalid)
	}
	if r.end = h.First + h.Count; h.Count == 0 {
		return r.finish()
	}
	return nil
}

// finish reads the end of a part, and closes it.
func (r *Reader) finish() error {
	if err := r.json.Decode(new(json.RawMessage)); err != io.EOF {
		return fault("its end", err)
	}
	file := r.file
	r.file = nil
	return file.Close()
}

// Close closes the part that is open after an error.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}

// fault is the error for a part that is not as it was written.
func fault(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it is only too short
	}
	return fmt.Errorf("part of trials: %s is not as it was written: %w", what, errors.Join(storage.ErrInvalid, err))
}
