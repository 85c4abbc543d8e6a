package query

import (
	"strconv"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/run"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/storage/vec"
)

// methodVectors are the vectors of one method, and what is measured with them.
type methodVectors struct {
	number            int         // in the request; −1 for the scorers that need no vectors
	vectors           *vec.Matrix // of the edges that are not held out; nil for those scorers
	scorers, features []string    // never nil
}

// eachMethod calls f for the scorers that need no vectors, if there are any, and then for
// each method, which has embedded the edges that are left.
func (c *call) eachMethod(t *linkTrial, split *evaluate.LinkSplit, f func(methodVectors) error) error {
	if len(t.plain) > 0 {
		if err := f(methodVectors{-1, nil, t.plain, []string{}}); err != nil {
			return err
		}
	}
	for i, e := range t.methods {
		m, err := c.embedSplit(e, split, i)
		if err != nil {
			return err
		}
		if err := f(methodVectors{i, m, append([]string{}, t.vectors...), t.features}); err != nil {
			return err
		}
	}
	return nil
}

// embedSplit embeds the edges that are left, by the method of a number.
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

// solveStep names the solve of one of several methods in PROFILE.
func solveStep(number int) string { return plan.Solve + " " + strconv.Itoa(number) }

// scorerText is the name of a scorer or model in tables.
func scorerText(scorer string, learned bool) string {
	if learned {
		return "logistic(" + scorer + ")"
	}
	return scorer
}
