package query

// This file runs TUNE.

type tuneOp struct {
	req     TuneRequest
	methods []methodCall
	found   *tuning
	text    string // the methods in the language; empty where none are named

	background bool
}

func (o *tuneOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.tune(o.req, o.methods)
	if err != nil {
		return nil, err
	}
	columns := []string{"trial", "method", "options", "stage", "score"}
	for _, m := range r.Trials[0].Measures {
		columns = append(columns, m.Name)
	}
	columns = append(columns, "seconds")
	table := make([][]Value, len(r.Trials))
	for i, t := range r.Trials {
		row := []Value{int64(t.Number), t.Method, trialText(t.Options), t.Stage.String(), number(t.Score)}
		for j := range r.Trials[0].Measures {
			var value Value // of a method that refused its parameters
			if j < len(t.Measures) {
				value = number(t.Measures[j].Value)
			}
			row = append(row, value)
		}
		table[i] = append(row, t.Seconds)
	}
	return rowsOf(columns, table), nil
}
