package query

// This file runs the bound statements that look after the file.

type checkOp struct{}

func (o *checkOp) exec(c *call) (*Rows, error) {
	report, err := c.check()
	if err != nil {
		return nil, err
	}
	var table [][]Value
	for _, f := range report.Faults {
		table = append(table, []Value{f.Where, f.What, f.Remedy})
	}
	return rowsOf([]string{"where", "fault", "remedy"}, table), nil
}
