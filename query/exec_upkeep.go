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

type compactOp struct{}

func (o *compactOp) exec(c *call) (*Rows, error) {
	r, err := c.compact()
	return rowsOf([]string{"before", "after", "seconds"}, [][]Value{{r.Before, r.After, r.Seconds}}), err
}

type backupOp struct{ req BackupRequest }

func (o *backupOp) exec(c *call) (*Rows, error) {
	r, err := c.backup(o.req)
	return rowsOf([]string{"file", "bytes", "records", "seconds"}, [][]Value{{r.Path, r.Bytes, r.Records, r.Seconds}}), err
}

type migrateOp struct{}

func (o *migrateOp) exec(c *call) (*Rows, error) {
	r, err := c.migrate()
	return rowsOf([]string{"from", "to", "before", "after", "seconds"},
		[][]Value{{int64(r.From), int64(r.To), r.Before, r.After, r.Seconds}}), err
}
