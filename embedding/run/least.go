package run

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/unitball"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file searches for the smallest dimension in which unit_ball places a graph with no
// more wrong pairs than the tolerance. The first trial has 64 dimensions. While trials
// fail the dimension is doubled, up to 256; after the first success the search bisects
// between the largest dimension that failed and the smallest that succeeded. A trial below
// a success begins with its vectors, projected onto their leading principal axes. A
// trial that fails does not prove that there is no placement, and a smaller dimension may
// succeed: in the end the two dimensions below the smallest success are tried with its
// vectors, unless they were, and again below each further success.
//
// The start matters: on cora 8 dimensions leave 2 pairs wrong after a start from the
// vectors of 9, and 193 after a random one; on ca-GrQc 8 and 87.

const (
	leastFirst     = 64  // dimensions of the first trial
	leastMost      = 256 // dimensions above which the search gives up
	leastBisection = 6   // trials between 0 and leastFirst
)

// leastTrial is a finished trial. Its fields have a fixed size for checkpoints.
type leastTrial struct {
	Dim, Passes int64
	Wrong       unitball.Wrong
}

// leastSearch is the state of a search: the trials so far, and the vectors of the smallest
// dimension that succeeded, or of the last trial if none did.
type leastSearch struct {
	o               BallOptions
	vertices, bound int // bound is a dimension below which no placement is exact
	trials          []leastTrial
	rows            *vec.Matrix
	stats           unitball.Stats
}

// next returns the dimension of the next trial, or 0 if the search is over.
func (s *leastSearch) next() int {
	failed, good := s.between()
	switch {
	case good == 0 && len(s.trials) == 0:
		return max(1, s.bound, min(leastFirst, s.vertices))
	case good == 0 && failed >= leastMost:
		return 0
	case good == 0:
		return min(2*failed, leastMost)
	case good-failed > 1:
		return (failed + good) / 2
	}
	for _, dim := range []int{good - 1, good - 2} {
		if dim >= s.lowest() && !s.tried(dim, good) {
			return dim
		}
	}
	return 0
}

// lowest returns the smallest dimension that is worth a trial.
func (s *leastSearch) lowest() int {
	if s.o.Tolerance > 0 { // the bound is one of exact placements
		return 1
	}
	return max(1, s.bound)
}

// tried reports whether a dimension was tried with the vectors of another as its start.
func (s *leastSearch) tried(dim, start int) bool {
	good := 0
	for _, t := range s.trials {
		if int(t.Dim) == dim && good == start {
			return true
		}
		if s.succeeded(t) {
			good = int(t.Dim)
		}
	}
	return false
}

// between returns the smallest dimension that succeeded, or 0, and the largest one below it
// that failed, or one less than the smallest that is worth a trial.
func (s *leastSearch) between() (failed, good int) {
	for _, t := range s.trials {
		if s.succeeded(t) {
			good = int(t.Dim)
		}
	}
	failed = s.lowest() - 1
	for _, t := range s.trials {
		if d := int(t.Dim); !s.succeeded(t) && (good == 0 || d < good) {
			failed = max(failed, d)
		}
	}
	return failed, good
}

func (s *leastSearch) succeeded(t leastTrial) bool { return t.Wrong.Pairs() <= s.o.Tolerance }

func (o BallOptions) leastDim(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
	began := time.Now()
	packing, err := evaluate.PackingDimension(ctx, g)
	if err != nil {
		return outcome{}, err
	}
	s := &leastSearch{o: o, vertices: g.Vertices(), bound: packing.ProvenAtLeast}
	from := req.Checkpoints.From
	if from != nil {
		if err := s.read(from); err != nil {
			return outcome{}, err
		}
	}
	for dim := s.next(); dim > 0; dim, from = s.next(), nil {
		if err := s.try(ctx, g, req, dim, from); err != nil {
			return outcome{}, err
		}
	}
	o.Dim, s.stats.Seconds = s.rows.Dim, time.Since(began).Seconds()
	info, err := ballRecord(ctx, g, o, s.stats)
	info.Stats = s.describe(info.Stats)
	return outcome{s.rows, info, ballState(s.stats.Wrong.Pairs())}, err
}

// try makes one trial, or the rest of it from a checkpoint.
func (s *leastSearch) try(ctx context.Context, g *csr.Graph, req Request, dim int, from io.Reader) error {
	o := s.o
	o.Dim, o.Workers = dim, req.Workers
	_, good := s.between()
	if good > 0 && from == nil {
		start, err := embedding.Principal(ctx, s.rows, dim, req.Workers)
		if err != nil {
			return err
		}
		o.Start = start
	}
	o.Checkpoints = behind(req.Checkpoints, s.write)
	o.Checkpoints.From = from
	if req.Progress != nil {
		o.Progress = func(pass, passes int, w unitball.Wrong) {
			req.Progress(s.stage(dim, w), int64(pass), int64(passes))
		}
	}
	rows, stats, err := unitball.Embed(ctx, g, o.Options)
	if err != nil {
		return err
	}
	t := leastTrial{int64(dim), int64(stats.Passes), stats.Wrong}
	if good == 0 || s.succeeded(t) {
		s.rows, s.stats = rows, stats
	}
	s.trials = append(s.trials, t)
	return nil
}

// stage is the text of the progress of a trial: its number and dimension, the dimensions
// between which the search is, and the wrong pairs.
func (s *leastSearch) stage(dim int, w unitball.Wrong) string {
	failed, good := s.between()
	found := "none found"
	if good > 0 {
		found = fmt.Sprintf("found in %d", good)
	}
	return fmt.Sprintf("placing: dim %d, trial %d (%s, above %d): %s", dim, len(s.trials)+1, found, failed, ballWrong(w))
}

// describe adds the trials to the statistics of the placement, whose last one is the
// notice.
func (s *leastSearch) describe(stats []storage.Setting) []storage.Setting {
	var tried []string
	for _, t := range s.trials {
		tried = append(tried, fmt.Sprintf("%d (%d wrong)", t.Dim, t.Wrong.Pairs()))
	}
	_, good := s.between()
	found, allowed := "none", ""
	if s.o.Tolerance > 0 {
		allowed = fmt.Sprintf(" with at most %d wrong pairs", s.o.Tolerance)
	}
	text := fmt.Sprintf("no placement%s was found in up to %d dimensions, the most that dim := 'least' tries; for more, give dim as a number", allowed, leastMost)
	if good > 0 {
		found = strconv.Itoa(good)
		text = fmt.Sprintf("%d is the smallest dim in which a placement%s was found", good, allowed)
	}
	text += "; tried: " + strings.Join(tried, ", ")
	if s.bound > 1 {
		text += fmt.Sprintf("; the largest hub proves that an exact placement needs %d or more", s.bound)
	}
	switch {
	case good == max(1, s.bound) && s.o.Tolerance == 0:
		text += "; this is the least"
	case good != 1:
		text += "; a dim in which no placement was found proves nothing and may have one"
	}
	last := len(stats) - 1
	stats[last].Value += "; " + text
	return append(stats[:last:last], storage.Setting{Name: "least dim", Value: found},
		storage.Setting{Name: "dims tried", Value: strings.Join(tried, ", ")},
		storage.Setting{Name: "dim proven necessary", Value: strconv.Itoa(s.bound)}, stats[last])
}

// leastHead is the beginning of a checkpoint. The trials, the statistics and the vectors of
// the smallest dimension that succeeded, and the checkpoint of the present trial follow.
type leastHead struct {
	Magic  [8]byte
	Trials int64
}

var leastMagic = [8]byte{'b', 'a', 'l', 'l', 'd', 'i', 'm', '1'}

func (s *leastSearch) write(w io.Writer) error {
	if err := vec.WriteNumbers(w, leastHead{leastMagic, int64(len(s.trials))}, s.trials); err != nil {
		return err
	}
	if _, good := s.between(); good == 0 {
		return nil
	}
	if err := vec.WriteNumbers(w, int64(s.stats.Joins)); err != nil {
		return err
	}
	return vec.WriteRows(w, s.rows.Panel(0, s.rows.Dim))
}

// read reads the state that write has written. It refuses trials of dimensions that a search
// with these options does not have.
func (s *leastSearch) read(from io.Reader) error {
	var head leastHead
	if err := vec.ReadNumbers(from, embedding.ErrCheckpoint, &head); err != nil {
		return err
	}
	if head.Magic != leastMagic || head.Trials < 0 || head.Trials > leastMost {
		return fmt.Errorf("%w: it is not one of a search for the least dim", embedding.ErrCheckpoint)
	}
	for range head.Trials {
		var t leastTrial
		if err := vec.ReadNumbers(from, embedding.ErrCheckpoint, &t); err != nil {
			return err
		}
		if dim := s.next(); dim == 0 || t.Dim != int64(dim) || t.Passes < 0 || t.Wrong.Missed < 0 || t.Wrong.False < 0 {
			return fmt.Errorf("%w: a trial in %d dimensions", embedding.ErrCheckpoint, t.Dim)
		}
		if s.trials = append(s.trials, t); s.succeeded(t) {
			s.stats = unitball.Stats{Wrong: t.Wrong, Passes: int(t.Passes), Reason: unitball.ReasonTolerated}
			if t.Wrong.Pairs() == 0 {
				s.stats.Reason = unitball.ReasonExact
			}
		}
	}
	_, good := s.between()
	if good == 0 {
		return nil
	}
	var joins int64
	if err := vec.ReadNumbers(from, embedding.ErrCheckpoint, &joins); err != nil {
		return err
	}
	rows, err := vec.ReadRows(from, s.vertices, good)
	s.rows, s.stats.Joins = rows, int(joins)
	return vec.StreamError(err, embedding.ErrCheckpoint)
}
