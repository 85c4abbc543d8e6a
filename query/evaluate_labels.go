package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/storage"
)

// This file is EVALUATE LABELS.

// EvaluateLabelsRequest asks how well the values of an attribute can be told from
// the vectors of an embedding.
type EvaluateLabelsRequest struct {
	Embedding string
	Attribute string // its values are the classes
	// Separator stands between the classes of a vertex in a text; empty where every
	// vertex has one. Blanks around a class do not count.
	Separator string

	Fractions []float64 // of the vertices, to train on; nil is the default of evaluate.LabelOptions
	Seeds     int       // random orders to average over; 0 is the default of evaluate.LabelOptions
	Seed      uint64    // of the first of them
	Penalty   float64   // of the weights of the models; 0 lets the training vertices choose it
}

// EvaluateLabelsResult is the answer of EvaluateLabels.
type EvaluateLabelsResult struct {
	Scores  []evaluate.LabelScore // in the order of the fractions
	Classes []string              // the names of LabelScore.Classes; numbers by size, then texts
	// Labelled is the number of vertices that took part. Unlabelled have no value,
	// and New are newer than the embedding; both are left out.
	Labelled, Unlabelled, New int
	Notices                   []Notice
}

// maxClasses keeps an attribute that names every vertex from asking for as many
// models.
const maxClasses = 10_000

// EvaluateLabels trains classifiers for the values of an attribute on the vectors
// of some of the vertices, and measures how well they tell those of the others.
// It stores nothing.
func (db *DB) EvaluateLabels(ctx context.Context, req EvaluateLabelsRequest) (EvaluateLabelsResult, error) {
	c, err := db.begin(ctx, "EVALUATE LABELS")
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	defer c.end()
	result, err := c.evaluateLabels(req)
	return result, c.wrap(err)
}

// labelling is a request whose names are resolved.
type labelling struct {
	space   *space
	columns *columnSet
}

// resolveEvaluateLabels checks a request and finds what it names.
func (c *call) resolveEvaluateLabels(req EvaluateLabelsRequest) (*labelling, error) {
	for _, f := range req.Fractions {
		if !(f > 0 && f < 1) {
			return nil, mistake(partOption("fractions"), "a fraction is %v, and must be above 0 and below 1", f)
		}
	}
	if req.Seeds < 0 {
		return nil, mistake(partOption("seeds"), "option seeds is %d, and must not be negative", req.Seeds)
	}
	if !(req.Penalty >= 0) {
		return nil, mistake(partOption("penalty"), "option penalty is %v, and must not be negative", req.Penalty)
	}
	l := &labelling{}
	err := c.settled(func() error {
		info, err := c.embeddingInfo(req.Embedding, partEmbedding)
		if err != nil {
			return err
		}
		if _, l.columns, err = c.columns(info.Graph, []string{req.Attribute}, partAttribute); err != nil {
			return err
		}
		l.space, err = c.space(req.Embedding, partEmbedding)
		return err
	})
	return l, err
}

// classesOf takes the classes of the first vertices out of a column.
func classesOf(column *storage.Column, vertices int, separator string) evaluate.Labels {
	numbers := map[string]uint32{}
	labels := evaluate.Labels{Of: make([][]uint32, vertices)}
	for v := range labels.Of {
		for _, name := range classNames(column.At(uint32(v)), separator) {
			number, known := numbers[name]
			if !known {
				number = uint32(len(labels.Names))
				numbers[name] = number
				labels.Names = append(labels.Names, name)
			}
			labels.Of[v] = append(labels.Of[v], number)
		}
	}
	sortClasses(&labels)
	return labels
}

// classNames splits a value into the names of its classes, some of which may be
// the same.
func classNames(value storage.Value, separator string) []string {
	switch {
	case value.IsMissing():
		return nil
	case separator == "" || value.Type() != storage.Text:
		return []string{value.String()}
	}
	var names []string
	for name := range strings.SplitSeq(value.Text(), separator) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// sortClasses numbers classes by their names: numbers by size, then texts.
func sortClasses(labels *evaluate.Labels) {
	order := make([]uint32, len(labels.Names))
	values := make([]float64, len(labels.Names))
	isNumber := make([]int, len(labels.Names)) // 0 for numbers, so that they come first
	for i, name := range labels.Names {
		order[i] = uint32(i)
		var err error
		if values[i], err = strconv.ParseFloat(name, 64); err != nil || values[i] != values[i] {
			values[i], isNumber[i] = 0, 1
		}
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(isNumber[a], isNumber[b]), cmp.Compare(values[a], values[b]), strings.Compare(labels.Names[a], labels.Names[b]))
	})
	place := make([]uint32, len(order))
	names := make([]string, len(order))
	for i, old := range order {
		place[old], names[i] = uint32(i), labels.Names[old]
	}
	labels.Names = names
	for v, own := range labels.Of {
		for i, old := range own {
			own[i] = place[old]
		}
		slices.Sort(own)
		labels.Of[v] = slices.Compact(own)
	}
}

// bytes estimates the memory of a labelling beside the vectors: a copy of the
// rows to train on, and the classes and predictions of all vertices.
func (l *labelling) bytes() int64 {
	return vectorBytes(l.space.matrix.Rows, l.space.matrix.Dim) + 96*int64(l.space.matrix.Rows)
}

func (c *call) evaluateLabels(req EvaluateLabelsRequest) (EvaluateLabelsResult, error) {
	l, err := c.resolveEvaluateLabels(req)
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	release, err := c.db.cache.reserve(l.bytes(), "evaluating labels of embedding "+name(req.Embedding))
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	defer release()
	vectors := l.space.matrix
	var labels evaluate.Labels
	if err := c.await(func() { labels = classesOf(l.columns.columns[0], vectors.Rows, req.Separator) }); err != nil {
		return EvaluateLabelsResult{}, err
	}
	result := EvaluateLabelsResult{Classes: labels.Names, Labelled: labels.Labelled(), New: l.space.graph.Info.Vertices - vectors.Rows}
	result.Unlabelled = vectors.Rows - result.Labelled
	if err := result.check(req); err != nil {
		return EvaluateLabelsResult{}, err
	}
	stop := c.watch.start(stepSolve)
	result.Scores, err = evaluate.ClassifyLabels(c.ctx, vectors, labels, evaluate.LabelOptions{
		Fractions: req.Fractions, Seeds: req.Seeds, Seed: req.Seed, Penalty: req.Penalty,
		Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	stop(int64(result.Labelled), count(int64(len(labels.Names)), "class"))
	c.noticeLabels(req, result, l.columns.columns[0])
	result.Notices = c.notices
	return result, nil
}

// check refuses an attribute whose values are no classes.
func (r *EvaluateLabelsResult) check(req EvaluateLabelsRequest) error {
	var m *Error
	switch {
	case r.Labelled < 2:
		m = mistake(partAttribute, "%s with a vector and a value of %s, too few to train and to test", count(int64(r.Labelled), "vertex"), name(req.Attribute))
	case len(r.Classes) < 2:
		m = mistake(partAttribute, "all values of %s are the same, and there is nothing to tell", name(req.Attribute))
	case len(r.Classes) > maxClasses:
		m = mistake(partAttribute, "attribute %s has %d different values, and at most %d can be told apart", name(req.Attribute), len(r.Classes), maxClasses)
	default:
		return nil
	}
	m.Err = evaluate.ErrLabels
	return m
}

// noticeLabels tells what was left out, and of texts that look like several
// classes.
func (c *call) noticeLabels(req EvaluateLabelsRequest, r EvaluateLabelsResult, column *storage.Column) {
	c.notice("%s of %s", count(int64(r.Labelled), "vertex"), count(int64(len(r.Classes)), "class"))
	if r.Unlabelled > 0 {
		c.notice("%s without a value left out", count(int64(r.Unlabelled), "vertex"))
	}
	if r.New > 0 {
		c.notice("%s newer than the embedding left out", count(int64(r.New), "vertex"))
	}
	if req.Separator == "" && column.Type == storage.Text && slices.ContainsFunc(r.Classes, func(name string) bool { return strings.Contains(name, ",") }) {
		c.notice("values with commas are taken as one class each; separator := ',' makes several of them")
	}
}
