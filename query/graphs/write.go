package graphs

import (
	"cmp"
	"context"
	"errors"

	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
)

// This file has the common part of the statements that change vertices and edges.
// Each statement is one transaction: it is done as a whole, or not at all. Many
// changes in one transaction cost far less than one transaction each.

// WriteResult is the answer of the methods that change a graph.
type WriteResult struct {
	Graph string `json:"graph"`
	storage.WriteStats
	Notices []rows.Notice `json:"notices,omitempty"`
}

// rows is the table of a change, of one row: the graph, some of the counts, and the version of
// the graph.
func (r WriteResult) rows(counts ...string) *rows.Rows {
	all := map[string]int64{
		"inserted": r.Inserted, "updated": r.Updated, "deleted": r.Deleted, "unchanged": r.Unchanged,
		"missing": r.Missing, "vertices": r.NewVertices, "edges_deleted": r.EdgesDeleted,
	}
	columns, row := []string{"graph"}, []rows.Value{r.Graph}
	for _, n := range counts {
		columns, row = append(columns, n), append(row, all[n])
	}
	return cells.RowsOf(append(columns, "version"), [][]rows.Value{append(row, int64(r.Version))})
}

// writeRows lays the answer of a statement out with some of its counts.
func writeRows[Q any](counts ...string) func(Q, WriteResult) *rows.Rows {
	return func(_ Q, r WriteResult) *rows.Rows { return r.rows(counts...) }
}

func writePlan(step, what, graph string, inputs ...*plan.Plan) *plan.Plan {
	return plan.Result(step, "of graph "+fault.Name(graph),
		plan.Measured(plan.Store, "store", what+", in one transaction", inputs...))
}

// change runs one transaction on one graph.
func change(c *engine.Call, graph string, f func(*storage.Tx) (storage.WriteStats, error)) (WriteResult, error) {
	return changeIn(c, c.DB.Store.Update, graph, f)
}

// changeBatched is change for f that reads nothing but its transaction and may run again: it shares a commit
// with others that wait.
func changeBatched(c *engine.Call, graph string, f func(*storage.Tx) (storage.WriteStats, error)) (WriteResult, error) {
	return changeIn(c, c.DB.Store.Batch, graph, f)
}

// changeIn changes a graph in a transaction, and notes which attributes were added.
func changeIn(c *engine.Call, transact func(context.Context, func(*storage.Tx) error) error, graph string, f func(*storage.Tx) (storage.WriteStats, error)) (WriteResult, error) {
	stop := c.Watch.Start(plan.Store)
	result := WriteResult{Graph: graph}
	var before, after storage.GraphInfo
	err := transact(c.Ctx, func(tx *storage.Tx) (err error) {
		if before, err = tx.Graph(graph); err != nil {
			return err
		}
		if result.WriteStats, err = f(tx); err != nil {
			return err
		}
		after, err = tx.Graph(graph)
		return err
	})
	if err != nil {
		return WriteResult{}, writeMistake(c, graph, err)
	}
	stop(result.changes(), "")
	for _, a := range after.Attributes {
		if _, known := session.AttributeOf(before, a.Name); !known {
			c.Notice("graph %s has a new attribute %s of the type %s", fault.Name(graph), fault.Name(a.Name), a.Type)
		}
	}
	for _, a := range after.EdgeAttributes {
		if _, known := session.AttributeIn(before.EdgeAttributes, a.Name); !known {
			c.Notice("edges of graph %s have a new attribute %s of the type %s", fault.Name(graph), fault.Name(a.Name), a.Type)
		}
	}
	if result.SelfLoops > 0 {
		c.Notice("%s left out: an edge joins two different vertices", fault.Count(result.SelfLoops, "self-loop"))
	}
	result.Notices = c.Notices
	return result, nil
}

// changes is how many vertices or edges a call changed.
func (r WriteResult) changes() int64 { return r.Inserted + r.Updated + r.Deleted }

// writeMistake turns what the store refuses about a name or a value into an
// Error.
func writeMistake(c *engine.Call, graph string, err error) error {
	var missing *storage.NotFoundError
	if errors.As(err, &missing) {
		at, known := c.Named[missing.Name]
		if !known {
			at = fault.Statement
		}
		if missing.Kind == "vertex" {
			return c.UnknownVertex(graph, missing.Name, at)
		}
		if missing.Kind == "graph" { // dropped or renamed since the statement began
			return fault.New(at, "%v", missing).WithErr(err)
		}
		return fault.New(at, "%s %s is not in graph %s", missing.Kind, fault.Quote(missing.Name), fault.Name(graph)).WithErr(err)
	}
	for _, refusal := range []error{storage.ErrInvalid, storage.ErrName, storage.ErrKey, storage.ErrLimit} {
		if errors.Is(err, refusal) {
			return fault.New(fault.Statement, "%v", err).WithErr(err)
		}
	}
	return err
}

// changedWhere returns the entry of a graph that changeWhere is to change.
func changedWhere(c *engine.Call, graph string, attributes []string) (storage.GraphInfo, error) {
	info, err := c.GraphInfo(graph, fault.Graph)
	return info, cmp.Or(err, session.CheckAttributes(info, fault.Graph, attributes...))
}

// changeWhere changes the vertices that meet a condition. They are searched outside
// the transaction, so that other writers do not wait; if one of them has changed the
// graph by then, they are searched again, the last time inside.
func changeWhere(c *engine.Call, graph string, where func(where.Candidate) bool, attributes []string, f func(*storage.Tx, []string) (storage.WriteStats, error)) (WriteResult, error) {
	const (
		outside  = 3   // attempts
		keyBytes = 100 // a key of usual length, and what the store's batch has of each
	)
	for attempt := 1; ; attempt++ {
		keys, version, err := admitted(c, graph, where, attributes)
		if err != nil {
			return WriteResult{}, err
		}
		release, err := c.DB.Cache.Reserve(keyBytes*int64(len(keys)), "the keys of "+fault.Count(int64(len(keys)), "vertex"))
		if err != nil {
			return WriteResult{}, err
		}
		result, err := change(c, graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			now, err := tx.Graph(graph)
			if err != nil {
				return storage.WriteStats{}, err
			}
			if now.Version != version {
				if attempt < outside {
					return storage.WriteStats{}, storage.ErrConflict
				}
				c.Forget(graph)
				if keys, _, err = admitted(c, graph, where, attributes); err != nil {
					return storage.WriteStats{}, err
				}
			}
			return f(tx, keys)
		})
		release()
		if !errors.Is(err, storage.ErrConflict) || attempt >= outside {
			return result, err
		}
		c.Forget(graph)
	}
}

// admitted returns the keys of the vertices that meet a condition, and the
// version of the graph that was asked.
func admitted(c *engine.Call, graph string, where func(where.Candidate) bool, attributes []string) ([]string, uint64, error) {
	found, err := scan.New(c, graph, where, attributes, 0)
	if err != nil {
		return nil, 0, err
	}
	stop := c.Watch.Start(plan.Scan)
	var keys []string
	err = found.Each(c.Ctx, func(v uint32) error {
		keys = append(keys, found.Graph.Key(v))
		return nil
	})
	stop(int64(len(keys)), found.Scanned())
	return keys, found.Graph.Info.Version, err
}
