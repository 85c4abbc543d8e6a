package query

import (
	"slices"
	"strconv"

	"heavytail/storage"
)

// This file runs CREATE INDEX and DROP INDEX, and has the table of indexes.

type createIndexOp struct {
	req        CreateIndexRequest
	info       storage.EmbeddingInfo
	background bool
}

func (o *createIndexOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	info, err := c.createIndex(o.req)
	if err != nil {
		return nil, err
	}
	return indexRows([]IndexInfo{info}), nil
}

type dropIndexOp struct{ embedding string }

func (o *dropIndexOp) exec(c *call) (*Rows, error) { return none(), c.dropIndex(o.embedding) }

// indexRows is the table of CREATE INDEX and SHOW INDEXES.
func indexRows(list []IndexInfo) *Rows {
	table := make([][]Value, len(list))
	for i, x := range list {
		table[i] = []Value{x.Embedding, x.Metric, int64(x.Vectors)}
		for _, p := range []string{"m", "ef_construction", "ef"} {
			table[i] = append(table[i], parameter(x.Parameters, p))
		}
		table[i] = append(table[i], x.Recall, x.Bytes, x.Seconds, timestamp(x.Created))
	}
	return rowsOf([]string{"embedding", "metric", "vectors", "m", "ef_construction", "ef", "recall", "bytes", "seconds", "created"}, table)
}

// parameter returns a number among parameters, or nil where it is none.
func parameter(parameters []storage.Setting, name string) Value {
	i := slices.IndexFunc(parameters, func(s storage.Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	n, err := strconv.ParseInt(parameters[i].Value, 10, 64)
	if err != nil {
		return nil
	}
	return n
}
