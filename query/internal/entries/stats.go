package entries

import (
	"cmp"
	"fmt"

	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Stats reports the space of each object in the file, with notices.
func Stats(c *engine.Call) (storage.Stats, error) {
	stats, err := c.DB.Store.Stats(c.Ctx)
	if err := c.Rest(err, "a part of the file", "CHECK says what to do about it"); err != nil {
		return storage.Stats{}, err
	}
	c.Notice("the file has format %d, which versions of heavytail with format %d and later can read; %s since the file was created", stats.Format, stats.MinReader, fault.Count(int64(stats.Epoch), "commit"))
	if free := stats.FreePages * int64(stats.PageSize); free > stats.Bytes/2 {
		c.Notice("most of the file is free: COMPACT frees up to %s", fault.Amount(float64(free), "bytes"))
	}
	return stats, nil
}

// StatsRows are the rows of SHOW STATS.
func StatsRows(s storage.Stats) [][]rows.Value {
	page := int64(s.PageSize)
	table := [][]rows.Value{
		spaceRow("file", "all", s.Bytes, s.Pages+s.FreePages),
		spaceRow("file", "pages in use", s.Pages*page, s.Pages),
		spaceRow("file", "free pages", s.FreePages*page, s.FreePages),
	}
	for _, g := range s.Graphs {
		object, n := "graph "+fault.Name(g.Name), int64(g.Vertices)
		table = append(table,
			spaceRow(object, "all", g.Bytes(), n+g.Edges),
			spaceRow(object, "keys by vertex", g.Keys, n),
			spaceRow(object, "vertices by key", g.IDs, n),
			spaceRow(object, "edges", g.Arcs, g.Edges),
			spaceRow(object, "attributes", g.Attributes, n),
			spaceRow(object, "change log", g.Changes, 0),
			spaceRow(object, "other", g.Other, 0))
	}
	for _, e := range s.Embeddings {
		table = append(table, spaceRow("embedding "+fault.Name(e.Name), "all", e.Bytes, int64(e.Vertices)))
	}
	for _, x := range s.Indexes {
		table = append(table, spaceRow("index of "+fault.Name(x.Embedding)+" by "+x.Metric, "all", x.Bytes, 0))
	}
	for _, m := range s.Models {
		table = append(table, spaceRow("model "+fault.Name(m.Name), "all", m.Bytes, 0))
	}
	for _, p := range s.Predicted {
		table = append(table, spaceRow("predictions by "+p.Scorer, "all", p.Bytes, int64(p.Vertices)))
	}
	for _, j := range s.Jobs {
		table = append(table, spaceRow(fmt.Sprintf("job %d", j.ID), "checkpoint", j.Bytes, 0))
	}
	for _, u := range s.Unfinished {
		table = append(table, spaceRow("unfinished "+u.Kind+" "+fault.Name(u.Name), "all", u.Bytes, 0))
	}
	return append(table,
		spaceRow("discarded objects", "all", s.TrashBytes, 0),
		spaceRow("catalogue and journal", "all", s.OtherBytes, 0))
}

// spaceRow is a row of SHOW STATS: the bytes of a part that has some items.
func spaceRow(object, part string, bytes, items int64) []rows.Value {
	if items == 0 {
		return []rows.Value{object, part, bytes, nil, nil}
	}
	return []rows.Value{object, part, bytes, items, cells.Each(bytes, items)}
}

// GraphStats returns the space that one graph takes in the file.
func GraphStats(c *engine.Call, graph string) (storage.GraphStats, error) {
	stats, err := c.DB.Store.Stats(c.Ctx) // damage of other objects does not matter here
	for _, g := range stats.Graphs {
		if g.Name == graph {
			return g, nil
		}
	}
	return storage.GraphStats{}, cmp.Or[error](err, &storage.NotFoundError{Kind: "graph", Name: graph})
}
