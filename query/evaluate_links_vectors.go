package query

import (
	"slices"
	"strconv"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/run"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/storage/vec"
)

// methodVectors are the vectors of one method, and the scorers and features to measure
// with them.
type methodVectors struct {
	number            int         // number of the method in the request; −1 for the scorers that need no vectors
	vectors           *vec.Matrix // vectors of the graph of the remaining edges; nil for scorers that need none
	scorers, features []string    // never nil
	models            []evaluate.Trained
}

// members is the number of times that eachMethod calls its function: once for the scorers that
// need no vectors, if there are any, and then once for each method.
func (t *linkTrial) members() int { return max(1, t.alone()+len(t.methods)) }

// alone is 1 if there are scorers or models that need no vectors.
func (t *linkTrial) alone() int {
	if len(t.plain) > 0 || t.model != nil {
		return 1
	}
	return 0
}

// eachMethod calls f for some of the members, from first on and before end: for the scorers that
// need no vectors, and for each method with its embedding of the remaining edges.
func (c *call) eachMethod(t *linkTrial, split *evaluate.LinkSplit, first, end int, f func(methodVectors) error) error {
	for i := first - t.alone(); i < min(end-t.alone(), len(t.methods)); i++ {
		m, err := c.member(t, split, i)
		if err != nil {
			return err
		}
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

// member embeds the remaining edges by the method with the given number, and trains its model;
// −1 is for the scorers that need no vectors.
func (c *call) member(t *linkTrial, split *evaluate.LinkSplit, number int) (m methodVectors, err error) {
	if number < 0 {
		models, err := c.evaluationModel(t, split, nil, nil)
		return methodVectors{-1, nil, c.plain(t, split), []string{}, models}, err
	}
	e := t.methods[number]
	vectors, err := c.embedSplit(e, split, number)
	if err != nil {
		return m, err
	}
	models, err := c.evaluationModel(t, split, &e, vectors)
	return methodVectors{number, vectors, append([]string{}, t.vectors...), t.features, models}, err
}

// plain returns the scorers that need no vectors; if the remaining graph has no times, without
// those that need times. The only times may be those of held-out edges, and a null graph, for
// which there is no notice, has no times.
func (c *call) plain(t *linkTrial, split *evaluate.LinkSplit) []string {
	list := append([]string{}, t.plain...)
	if at := slices.IndexFunc(list, link.NeedsTimes); at >= 0 && !link.Timed(split.Graph) {
		if split.Graph.Times != nil {
			c.Notice("%s needs the times of edges, and the edges that were not held out have none", list[at])
		}
		list = slices.DeleteFunc(list, link.NeedsTimes)
	}
	return list
}

// embedSplit embeds the remaining edges by the method with the given number.
func (c *call) embedSplit(e configured, split *evaluate.LinkSplit, number int) (*vec.Matrix, error) {
	stop := c.Watch.Start(solveStep(number))
	m, info, err := run.Compute(c.Ctx, split.Graph, run.Request{
		Method: e.method.Name, Options: e.options, Workers: c.db.opts.Workers, Progress: c.Meter.Update,
	})
	if err != nil {
		return nil, err
	}
	c.noteMethod(info)
	stop(int64(m.Rows), fault.Count(int64(info.Iterations), "iteration"))
	return m, nil
}

// evaluationModel trains the model of one method, nil for none, if the request asks for models.
func (c *call) evaluationModel(t *linkTrial, split *evaluate.LinkSplit, e *configured, vectors *vec.Matrix) ([]evaluate.Trained, error) {
	if t.model == nil {
		return nil, nil
	}
	req := run.ModelRequest{Split: *t.model, Workers: c.db.opts.Workers, Progress: c.Meter.Update}
	req.Split.Latest = req.Split.Latest && split.Graph.Times != nil // a null graph has none
	if e != nil {
		req.Method, req.Options, req.Vectors, req.Features = e.method.Name, e.options, vectors, DefaultFeatures
	}
	b, err := run.EvaluationModel(c.Ctx, split, req)
	if err != nil {
		return nil, trainingMistake(err)
	}
	return []evaluate.Trained{{Name: trainedModel, Score: b.Score, Links: b.Scoring()}}, nil
}

// trainedModel is the scorer in tables of a model as TRAIN MODEL makes it.
const trainedModel = "model"

// solveStep returns the name that PROFILE shows for the solve of one of several methods.
func solveStep(number int) string { return plan.Solve + " " + strconv.Itoa(number) }

// scorerText is the name of a scorer or model in tables.
func scorerText(scorer string, learned bool) string {
	if learned && scorer != trainedModel {
		return "logistic(" + scorer + ")"
	}
	return scorer
}
