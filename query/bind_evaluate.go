package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/query/parser"
)

// This file binds the statements that judge embeddings.

// sweepOptions are the options of statements that try many radii; subject is
// what tries them.
func sweepOptions(subject string) []OptionInfo {
	return []OptionInfo{
		{Name: "grid", Type: "text", Default: "'quantiles'", Choices: []string{"quantiles", "paper"}, Doc: "which radii " + subject + " tries: quantiles of the distances, or epsilon from 0.01 to 0.50"},
		{Name: "points", Type: "int", Default: "128", Doc: "how many quantiles " + subject + " tries at first"},
		{Name: "criterion", Type: "text", Default: "'pearson'", Choices: criteria(), Doc: "what is best: the largest correlation of the degrees, or both pearson and spearman, or f1 of the edges, or the smallest distance ks of the degrees from a power law of their own, over at least 50 vertices"},
		{Name: "sweep", Type: "bool", Default: "FALSE", Doc: "show every point that " + subject + " tried, not only the best"},
	}
}

// criteria are the names of evaluate.Criterion, by its numbers.
func criteria() []string { return []string{"pearson", "spearman", "kendall", "f1", "ks", "both"} }

// sweepSettings puts checked options of sweepOptions into a request.
func sweepSettings(req *ReconstructRequest, set settings) error {
	if set.text("grid") == "paper" {
		req.Grid = evaluate.Paper
	}
	req.Criterion = evaluate.Criterion(max(0, slices.Index(criteria(), set.text("criterion"))))
	points, err := set.within("points", 2, maxPoints)
	req.Points = int(points)
	return err
}

func (b *binder) evaluateReconstructionStatement(s *parser.EvaluateReconstruction) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	set, err := b.settings("EVALUATE RECONSTRUCTION", sweepOptions("it"), s.Options)
	if err != nil {
		return nil, err
	}
	sweep := ReconstructRequest{}
	if err := sweepSettings(&sweep, set); err != nil {
		return nil, err
	}
	op := &evaluateReconstructionOp{sweep: set.boolean("sweep")}
	op.req = EvaluateReconstructionRequest{Embedding: s.Embedding.Name, Grid: sweep.Grid, Points: sweep.Points, Criterion: sweep.Criterion, Laws: op.sweep}
	op.found, err = b.resolveReconstruct(op.req.sweep())
	return op, err
}

// linksOptions are the options of EVALUATE LINKS.
func linksOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "share", Type: "float", Default: fmt.Sprint(evaluate.DefaultShare), Doc: "share of the edges that are held out"},
		{Name: "latest", Type: "bool", Default: "TRUE", Doc: "hold out the edges with the latest timestamps, where the graph has any; otherwise edges at random"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the edges and pairs that are drawn"},
		{Name: "training", Type: "int", Default: fmt.Sprint(evaluate.DefaultTraining), Doc: "edges to learn from at most, and as many pairs without one"},
		{Name: "learn", Type: "text", Default: "'auto'", Choices: []string{"auto", "seen", "unseen"}, Doc: "from which edges to learn: those that the embedding has seen, or others that are held out as well; auto is unseen where the latest are held out"},
		{Name: "order", Type: "text", Default: "'random'", Choices: []string{"random", "ascending"}, Doc: "order of the two vertices of a pair, which the feature difference depends on: random, or first the one that came first into the graph"},
		{Name: "scorers", Type: "text", Default: "'all'", Doc: "which scorers to compare, with commas between; SHOW SCORERS lists them"},
		{Name: "features", Type: "text", Default: "'" + evaluate.DefaultFeature + "'", Doc: "what a logistic regression learns from, with commas between: " + strings.Join(featureNames(), ", ") + " or all"},
		{Name: "hits", Type: "int", Default: "100", Doc: "hits are the edges that score above all but so many of the pairs without one"},
	}
}

func (b *binder) evaluateLinksStatement(s *parser.EvaluateLinks) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &evaluateLinksOp{req: EvaluateLinksRequest{Graph: s.Graph.Name}}
	// All lists of options may have the same names, such as seed. Mistakes of a
	// method are found before the marks of the next list take their places.
	for _, call := range s.Methods {
		given, err := b.methodCall(call)
		if err != nil {
			return nil, err
		}
		op.req.Methods = append(op.req.Methods, LinkMethod{Method: call.Name.Name})
		op.given, op.texts = append(op.given, given), append(op.texts, call.String())
	}
	set, err := b.settings("EVALUATE LINKS", linksOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if err := b.linksSettings(&op.req, set); err != nil {
		return nil, err
	}
	op.found, err = b.resolveEvaluateLinks(op.req, op.given)
	return op, err
}

// methodCall evaluates the options of a method, and checks them.
func (b *binder) methodCall(call parser.Call) ([]setting, error) {
	b.mark(partMethod, call.Name)
	given, err := b.given(call.Options)
	if err != nil {
		return nil, err
	}
	method, err := findMethod(call.Name.Name)
	if err != nil {
		return nil, err
	}
	_, _, err = methodOptions(method, given)
	return given, err
}

// linksSettings puts checked options into a request.
func (b *binder) linksSettings(req *EvaluateLinksRequest, set settings) error {
	if share, given := set["share"]; given {
		if req.Share = share.(float64); !(req.Share > 0 && req.Share < 1) {
			return mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
		}
	}
	training, err := set.within("training", 1, maxTraining)
	if err != nil {
		return err
	}
	hits, err := set.within("hits", 1, math.MaxInt32)
	if err != nil {
		return err
	}
	req.Training, req.HitsAt, req.Seed = int(training), int(hits), uint64(set.integer("seed"))
	if text := set.text("scorers"); text != "" && text != "all" {
		req.Scorers = namesIn(text)
	}
	switch text := set.text("features"); text {
	case "":
	case "all":
		req.Features = featureNames()
	default:
		req.Features = namesIn(text)
	}
	if latest, given := set["latest"]; given {
		req.Latest = latest.(bool)
	} else {
		info, err := b.graphInfo(req.Graph, partGraph)
		if err != nil {
			return err
		}
		req.Latest = info.Timed
	}
	req.Ascending = set.text("order") == "ascending"
	req.Unseen = set.text("learn") == "unseen" || set.text("learn") != "seen" && req.Latest
	return nil
}

// maxTraining keeps a slip of the finger from asking for more than any memory.
const maxTraining = 100_000_000

// namesIn splits a list at its commas.
func namesIn(text string) []string {
	names := strings.Split(text, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}

// labelsOptions are the options of EVALUATE LABELS.
func labelsOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "fractions", Type: "text", Default: "'0.1,0.5,0.9'", Doc: "shares of the vertices to train on, with commas between; the others are to be told"},
		{Name: "seeds", Type: "int", Default: fmt.Sprint(evaluate.DefaultSeeds), Doc: "random choices of the training vertices to average over"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the first of them"},
		{Name: "separator", Type: "text", Default: "''", Doc: "what stands between several classes of a vertex, such as ','; by default the whole value is one class"},
		{Name: "penalty", Type: "float", Default: "0", Doc: "strength that holds the weights of the models back; 0 lets the training vertices choose"},
		{Name: "classes", Type: "bool", Default: "FALSE", Doc: "show every class by itself"},
	}
}

func (b *binder) evaluateLabelsStatement(s *parser.EvaluateLabels) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	attribute, err := b.text(partAttribute, s.Attribute)
	if err != nil {
		return nil, err
	}
	set, err := b.settings("EVALUATE LABELS", labelsOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	op := &evaluateLabelsOp{classes: set.boolean("classes")}
	op.req = EvaluateLabelsRequest{
		Embedding: s.Embedding.Name, Attribute: attribute, Separator: set.text("separator"),
		Seed: uint64(set.integer("seed")), Penalty: set.number("penalty"),
	}
	seeds, err := set.within("seeds", 1, maxSeeds)
	if err != nil {
		return nil, err
	}
	op.req.Seeds = int(seeds)
	if op.req.Fractions, err = numbersIn("fractions", set.text("fractions")); err != nil {
		return nil, err
	}
	op.found, err = b.resolveEvaluateLabels(op.req)
	return op, err
}

// maxSeeds keeps a slip of the finger from asking for years.
const maxSeeds = 10_000

// numbersIn reads an option that is a list of numbers; nil for an empty text.
func numbersIn(option, text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var list []float64
	for _, word := range namesIn(text) {
		number, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, mistake(partOption(option), "option %s is %s, expected numbers with commas between", option, quoteKey(text))
		}
		list = append(list, number)
	}
	return list, nil
}
