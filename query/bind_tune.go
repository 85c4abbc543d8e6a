package query

import (
	"fmt"
	"math"
	"strings"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/query/parser"
)

// This file binds TUNE.

// tuneOptions are the options of TUNE.
func tuneOptions() []OptionInfo {
	var criteria []string
	for _, g := range []Goal{ForReconstruction, ForLinks, ForLabels} {
		criteria = append(criteria, strings.Join(g.Criteria(), ", ")+" of "+string(g))
	}
	return []OptionInfo{
		{Name: "budget", Type: "text", Default: "'10m'", Doc: "time after which no trial begins, such as '90s', '10m' or '2h'; none by default where trials is given"},
		{Name: "trials", Type: "int", Default: "0", Doc: "most trials; 0 is any number. The same number gives the same result"},
		{Name: "criterion", Type: "text", Default: "''", Doc: "the measure to be largest: " + strings.Join(criteria, "; ") + "; the first is the default"},
		{Name: "attribute", Type: "text", Default: "''", Doc: "the attribute that has the labels, for labels"},
		{Name: "separator", Type: "text", Default: "''", Doc: "what stands between several labels of a vertex, such as ',', for labels"},
		{Name: "share", Type: "float", Default: fmt.Sprint(evaluate.DefaultShare), Doc: "share of the edges that are held out, for links"},
		{Name: "latest", Type: "bool", Default: "TRUE", Doc: "hold out the edges with the latest timestamps, where the graph has any; otherwise edges at random; for links"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of what is drawn, and of the methods without a seed of their own"},
	}
}

func (b *binder) tuneStatement(s *parser.Tune) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partEmbedding, s.Embedding)
	b.mark(partGoal, s)
	op := &tuneOp{
		req:        TuneRequest{Graph: s.Graph.Name, Name: s.Embedding.Name, Goal: Goal(strings.ToLower(string(s.For)))},
		background: s.Background,
	}
	var texts []string
	for _, m := range s.Methods {
		given, err := b.methodCall(m)
		if err != nil {
			return nil, err
		}
		op.methods = append(op.methods, methodCall{m.Name.Name, given})
		texts = append(texts, m.String())
	}
	op.text = strings.Join(texts, ", ")
	set, err := b.settings("TUNE", tuneOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if err := b.tuneSettings(&op.req, set); err != nil {
		return nil, err
	}
	op.found, err = b.resolveTune(op.req, op.methods)
	return op, err
}

// goalOptions are the options of TUNE that mean something for one goal only.
var goalOptions = []struct {
	name string
	goal Goal
}{{"attribute", ForLabels}, {"separator", ForLabels}, {"share", ForLinks}, {"latest", ForLinks}}

// tuneSettings puts checked options into a request.
func (b *binder) tuneSettings(req *TuneRequest, set settings) error {
	for _, o := range goalOptions {
		if _, given := set[o.name]; given && o.goal != req.Goal {
			return mistake(partOption(o.name), "option %s is for %s, and this searches for %s", o.name, o.goal, req.Goal)
		}
	}
	trials, err := set.within("trials", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	req.Trials, req.Seed = int(trials), uint64(set.integer("seed"))
	req.Criterion, req.Attribute, req.Separator = set.text("criterion"), set.text("attribute"), set.text("separator")
	if at, given := b.at[partOption("attribute")]; given {
		b.at[partAttribute] = at
	}
	if share, given := set["share"]; given {
		if req.Share = share.(float64); !(req.Share > 0 && req.Share < 1) {
			return mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
		}
	}
	if text, given := set["budget"]; given {
		if req.Budget, err = duration(partOption("budget"), text.(string)); err != nil {
			return err
		}
	}
	if latest, given := set["latest"]; given {
		req.Latest = latest.(bool)
		return nil
	}
	info, err := b.graphInfo(req.Graph, partGraph)
	req.Latest = info.Timed
	return err
}

// duration reads a positive time such as '90s', '10m' or '1h30m'.
func duration(at part, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		e := mistake(at, "%s is no time", quoteKey(text))
		e.Expected = []string{"a time such as '90s', '10m' or '2h'"}
		return 0, e
	}
	return d, nil
}
