package query

import (
	"fmt"

	"heavytail/storage"
)

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

type recoverOp struct{ req RecoverRequest }

func (o *recoverOp) exec(c *call) (*Rows, error) {
	r, err := c.recoverStore(o.req)
	return rowsOf([]string{"object", "vertices", "edges", "state"}, RecoveredRows(r.RecoverReport)), err
}

// RecoveredRows is the table of RECOVER: what was saved, and in which state.
func RecoveredRows(r storage.RecoverReport) [][]Value {
	var table [][]Value
	for _, g := range r.Graphs {
		state := "whole"
		switch {
		case g.Rebuilt && g.LostVertices < 0:
			state = "rebuilt without its catalogue entry, so its name and attributes are lost"
		case g.Rebuilt && g.LostVertices+g.LostEdges == 0:
			state = "rebuilt, with all vertices and edges"
		case g.Rebuilt:
			state = fmt.Sprintf("rebuilt; %s and %s lost", count(g.LostVertices, "vertex"), count(g.LostEdges, "edge"))
		}
		table = append(table, []Value{"graph " + name(g.Name), int64(g.Vertices), g.Edges, state})
	}
	for _, e := range r.Embeddings {
		state := "whole"
		if e.Lost > 0 {
			state = "without " + count(int64(e.Lost), "vertex")
		}
		table = append(table, []Value{"embedding " + name(e.Name), int64(e.Vertices), nil, state})
	}
	return table
}
