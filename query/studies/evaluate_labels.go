package studies

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// This file has EVALUATE LABELS.

// EvaluateLabelsRequest asks how well the values of an attribute can be predicted
// from the vectors of an embedding.
type EvaluateLabelsRequest struct {
	Embedding string
	Attribute string // its values are the classes
	// Separator separates the classes of a vertex in a text; empty where every
	// vertex has one. Blanks around a class do not count.
	Separator string

	Fractions []float64 // fractions of the vertices to train on; nil is the default of evaluate.LabelOptions
	Seeds     int       // number of random training sets to average over; 0 is the default of evaluate.LabelOptions
	Seed      uint64    // seed of the first training set
	Penalty   float64   // penalty of the squared weights of the classifiers; 0 chooses it on the training vertices

	classes bool // the table has a row for each class
}

// EvaluateLabelsResult is the answer of EvaluateLabels.
type EvaluateLabelsResult struct {
	Scores  []evaluate.LabelScore `json:"scores"`  // in the order of the fractions
	Classes []string              `json:"classes"` // names of LabelScore.Classes: numbers in ascending order, then texts
	// Labelled is the number of vertices that were used. Unlabelled is the number
	// without a value, and New the number that are newer than the embedding; both
	// are left out.
	Labelled   int           `json:"labelled"`
	Unlabelled int           `json:"unlabelled"`
	New        int           `json:"new"`
	Notices    []rows.Notice `json:"notices,omitempty"`
}

// maxClasses refuses an attribute such as a name, which has a different value
// for every vertex and would need as many classifiers.
const maxClasses = 10_000

var evaluateLabels = &engine.Statement[*parser.EvaluateLabels, EvaluateLabelsRequest, session.Entry, EvaluateLabelsResult]{
	Help: help.Statement{
		Statement: "EVALUATE LABELS",
		Summary:   "evaluates classifiers that predict an attribute from the vectors, trained on a part of the vertices",
		Detail:    "It stores nothing. macro_f1 is the mean over all classes of the attribute, 0 for one that is neither in the test set nor predicted (scikit-learn's average='macro', zero_division=0)",
		Words:     "node classification f1 macro micro labels classes train test split accuracy supervised",
		Columns:   "fraction, train, test, micro_f1, micro_f1_deviation, macro_f1, macro_f1_deviation, accuracy, accuracy_deviation; with classes: fraction, class, test, accuracy, accuracy_deviation, precision, f1, f1_deviation",
	},
	Schema: labelsSchema,
	Bind: func(b *engine.Binder, s *parser.EvaluateLabels) EvaluateLabelsRequest {
		embedding, attribute := b.Name(fault.Embedding, s.Embedding), b.Text(engine.PartAttribute, s.Attribute)
		req := EvaluateLabelsRequest{Embedding: embedding, Attribute: attribute}
		engine.Bind(b, parser.Heading(s), labelsSchema(), s.Options, &req)
		return req
	},
	Resolve: resolveEvaluateLabels,
	Plan:    planEvaluateLabels,
	Run:     runEvaluateLabels,
	Rows:    labelRows,
	Reads:   true,
}

func labelsSchema() option.Schema[EvaluateLabelsRequest] {
	type request = EvaluateLabelsRequest
	return option.Schema[request]{
		option.Numbers("fractions", "comma-separated training fractions; the remaining vertices form the test set", func(r *request) *[]float64 { return &r.Fractions }).
			OrElse(option.FormatNumbers(evaluate.DefaultFractions())).Rule(checkFractions),
		option.Int("seeds", "number of random choices of training vertices to average over", func(r *request) *int { return &r.Seeds }).OrElse(evaluate.DefaultSeeds).Between(1, maxSeeds),
		option.Seed("seed of the first choice", func(r *request) *uint64 { return &r.Seed }),
		option.String("separator", "text that separates several classes of a vertex, such as ','; by default the whole value is one class", func(r *request) *string { return &r.Separator }),
		option.Float("penalty", "penalty of the squared weights of the classifiers; 0 chooses it by cross-validation on the training vertices", func(r *request) *float64 { return &r.Penalty }).NotNegative(),
		option.Bool("classes", "report each class", func(r *request) *bool { return &r.classes }),
	}
}

func checkFractions(req EvaluateLabelsRequest) error {
	for _, f := range req.Fractions {
		if !(f > 0 && f < 1) {
			return fault.New(fault.This, "a fraction is %v, and must be above 0 and below 1", f)
		}
	}
	return nil
}

// maxSeeds prevents a typing error from starting a computation of years.
const maxSeeds = 10_000

// EvaluateLabels trains classifiers for the values of an attribute on the vectors
// of some of the vertices, and measures how well they predict those of the rest.
// It stores nothing.
func (s *Service) EvaluateLabels(ctx context.Context, req EvaluateLabelsRequest) (EvaluateLabelsResult, error) {
	return evaluateLabels.Answer(ctx, s.db, req)
}

func resolveEvaluateLabels(c *engine.Call, req EvaluateLabelsRequest) (session.Entry, error) {
	e, err := c.Entry(req.Embedding, fault.Embedding)
	if err == nil {
		err = session.CheckAttributes(e.Graph, engine.PartAttribute, req.Attribute)
	}
	return e, err
}

func planEvaluateLabels(req EvaluateLabelsRequest, e session.Entry) *plan.Plan {
	fractions := req.Fractions
	if fractions == nil {
		fractions = evaluate.DefaultFractions()
	}
	shares := lists.Map(fractions, func(f float64) string { return fmt.Sprint(f) })
	seeds := cmp.Or(req.Seeds, evaluate.DefaultSeeds)
	penalty := "penalty chosen in the training vertices"
	if req.Penalty > 0 {
		penalty = fmt.Sprintf("penalty %v", req.Penalty)
	}
	return plan.Result("evaluation", "micro- and macro-F1, accuracy",
		plan.Measured(plan.Solve, "logistic regressions", fmt.Sprintf("each class against the rest, %s; trained on %s of the vertices, %s",
			penalty, strings.Join(shares, ", "), fault.Count(int64(seeds), "time")),
			append(session.AttributePlans(e.Graph, []string{req.Attribute}), e.Plan(), session.GraphPlan(e.Graph))...))
}

// labelling has the input of an evaluation of labels in memory.
type labelling struct {
	space   *session.Space
	columns *session.ColumnSet
}

func loadLabelling(c *engine.Call, req EvaluateLabelsRequest, e session.Entry) (l labelling, err error) {
	err = c.Consistent(func() error {
		if _, l.columns, err = c.Columns(e.Info.Graph, []string{req.Attribute}, engine.PartAttribute); err != nil {
			return err
		}
		l.space, err = c.Space(req.Embedding, fault.Embedding)
		return err
	})
	return l, err
}

func labelRows(req EvaluateLabelsRequest, r EvaluateLabelsResult) *rows.Rows {
	if req.classes {
		return classRows(r)
	}
	columns := []string{
		"fraction", "train", "test", "micro_f1", "micro_f1_deviation",
		"macro_f1", "macro_f1_deviation", "accuracy", "accuracy_deviation",
	}
	return cells.RowsOf(columns, lists.Map(r.Scores, func(s evaluate.LabelScore) []rows.Value {
		return []rows.Value{
			s.Fraction, int64(s.Train), int64(s.Test), cells.Number(s.MicroF1.Mean), cells.Number(s.MicroF1.Deviation),
			cells.Number(s.MacroF1.Mean), cells.Number(s.MacroF1.Deviation), cells.Number(s.Accuracy.Mean), cells.Number(s.Accuracy.Deviation),
		}
	}))
}

// classRows are the scores of every class at every fraction.
func classRows(r EvaluateLabelsResult) *rows.Rows {
	var table [][]rows.Value
	for _, s := range r.Scores {
		for i, class := range s.Classes {
			table = append(table, []rows.Value{
				s.Fraction, r.Classes[i], cells.Number(class.Vertices.Mean), cells.Number(class.Accuracy.Mean), cells.Number(class.Accuracy.Deviation),
				cells.Number(class.Precision.Mean), cells.Number(class.F1.Mean), cells.Number(class.F1.Deviation),
			})
		}
	}
	return cells.RowsOf([]string{"fraction", "class", "test", "accuracy", "accuracy_deviation", "precision", "f1", "f1_deviation"}, table).Typed("test", cells.OrNull(storage.Float))
}

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

// classNames splits a value into the names of its classes, which may contain
// duplicates.
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

// bytes estimates the memory of a labelling without the vectors: a copy of the rows to train on; for
// each vertex 32 bytes for its classes, as often for those that are known and those of a training, and
// for its predictions, and 36 for its places in the order and in five folds; and for each worker, which
// trains one class, 10 for signs, marks and sums.
func (l *labelling) bytes(workers int) int64 {
	return session.VectorBytes(l.space.Matrix.Rows, l.space.Matrix.Dim) + int64(4*32+36+10*workers)*int64(l.space.Matrix.Rows)
}

func runEvaluateLabels(c *engine.Call, req EvaluateLabelsRequest, e session.Entry) (EvaluateLabelsResult, error) {
	l, err := loadLabelling(c, req, e)
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	release, err := c.DB.Cache.ReserveWork(l.bytes(c.Workers()), "evaluating labels of embedding "+fault.Name(req.Embedding))
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	defer release()
	vectors := l.space.Matrix
	var labels evaluate.Labels
	if err := c.Await(func() { labels = classesOf(l.columns.Columns[0], vectors.Rows, req.Separator) }); err != nil {
		return EvaluateLabelsResult{}, err
	}
	result := EvaluateLabelsResult{Classes: labels.Names, Labelled: labels.Labelled(), New: l.space.Graph.Info.Vertices - vectors.Rows}
	result.Unlabelled = vectors.Rows - result.Labelled
	if err := result.check(req); err != nil {
		return EvaluateLabelsResult{}, err
	}
	stop := c.Watch.Start(plan.Solve)
	result.Scores, err = evaluate.ClassifyLabels(c.Ctx, vectors, labels, evaluate.LabelOptions{
		Fractions: req.Fractions, Seeds: req.Seeds, Seed: req.Seed, Penalty: req.Penalty,
		Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
	})
	if err != nil {
		return EvaluateLabelsResult{}, err
	}
	stop(int64(result.Labelled), fault.Count(int64(len(labels.Names)), "class"))
	noticeLabels(c, req, result, l.columns.Columns[0])
	result.Notices = c.Notices
	return result, nil
}

// check returns an Error for an attribute whose values cannot be used as classes.
func (r *EvaluateLabelsResult) check(req EvaluateLabelsRequest) error {
	var m *fault.Error
	switch {
	case r.Labelled < 2:
		m = fault.New(engine.PartAttribute, "%s with a vector and a value of %s, too few to train and to test", fault.Count(int64(r.Labelled), "vertex"), fault.Name(req.Attribute))
	case len(r.Classes) < 2:
		m = fault.New(engine.PartAttribute, "attribute %s has only one distinct value; classification needs at least two", fault.Name(req.Attribute))
	case len(r.Classes) > maxClasses:
		m = fault.New(engine.PartAttribute, "attribute %s has %d different values, and at most %d can be distinguished", fault.Name(req.Attribute), len(r.Classes), maxClasses)
	default:
		return nil
	}
	m.Err = evaluate.ErrLabels
	return m
}

// noticeLabels gives notices of the vertices that were left out, and of
// values that look like several classes.
func noticeLabels(c *engine.Call, req EvaluateLabelsRequest, r EvaluateLabelsResult, column *storage.Column) {
	c.Notice("%s of %s", fault.Count(int64(r.Labelled), "vertex"), fault.Count(int64(len(r.Classes)), "class"))
	if r.Unlabelled > 0 {
		c.Notice("%s without a value left out", fault.Count(int64(r.Unlabelled), "vertex"))
	}
	if r.New > 0 {
		c.Notice("%s newer than the embedding left out", fault.Count(int64(r.New), "vertex"))
	}
	if req.Separator == "" && column.Type == storage.Text && slices.ContainsFunc(r.Classes, func(name string) bool { return strings.Contains(name, ",") }) {
		c.Notice("each value with commas counts as one class; separator := ',' splits it into several")
	}
}
