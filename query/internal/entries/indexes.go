package entries

import (
	"errors"
	"strconv"
	"strings"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/rows"
	"heavytail/storage"
)

// KeptIndex is an index of a generation that is about to be replaced.
type KeptIndex struct {
	Metric index.Metric
	Opts   index.HNSWOptions
	Slow   bool        // its searches take longer than scans
	Hnsw   *index.HNSW // nil if it cannot be read; it is then rebuilt
}

// IndexesOf lists the parameters of the indexes of an embedding; none if the embedding
// does not exist.
func IndexesOf(c *engine.Call, embedding string) ([]KeptIndex, error) {
	list, err := c.DB.Store.Indexes(c.Ctx, embedding)
	if errors.Is(err, storage.ErrCorrupt) {
		c.Notice("the indexes of embedding %s are removed: %v; create them again", fault.Name(embedding), err)
		return nil, nil
	}
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	var all []KeptIndex
	for _, info := range list {
		metric, err := index.ParseMetric(info.Metric)
		if err != nil {
			c.Notice("the index of embedding %s by %s is removed: %v", fault.Name(embedding), info.Metric, err)
			continue
		}
		all = append(all, KeptIndex{Metric: metric, Opts: ParametersOf(info)})
	}
	return all, err
}

// ParametersOf are the parameters by which an index was built.
func ParametersOf(info storage.IndexInfo) index.HNSWOptions {
	number := func(name string) int {
		n, _ := Parameter(info.Parameters, name).(int64)
		return int(n)
	}
	opts := index.HNSWOptions{M: number("m"), EfConstruction: number("ef_construction"), Ef: number("ef")}
	opts.Seed, _ = strconv.ParseUint(engine.ValueOf(info.Parameters, "seed"), 10, 64) // it may exceed an integer of the language
	return opts
}

// Parameter returns the parameter of that name if it is a number, otherwise nil.
func Parameter(parameters []storage.Setting, name string) rows.Value {
	n, err := strconv.ParseInt(engine.ValueOf(parameters, name), 10, 64)
	return cells.When(err == nil, n)
}

// IndexRow is a row of SHOW INDEXES.
func IndexRow(x storage.IndexInfo) []rows.Value {
	number := func(name string) rows.Value { return Parameter(x.Parameters, name) }
	return []rows.Value{
		x.Embedding, x.Metric, int64(x.Vectors), number("m"), number("ef_construction"), number("ef"),
		x.Recall, x.Lowest, x.Poor, x.Bytes, x.Seconds, cells.Timestamp(x.Created),
	}
}

// SettingsText writes settings in a plan.
func SettingsText(list []storage.Setting) string {
	return strings.Join(lists.Map(list, func(s storage.Setting) string { return s.Name + " " + s.Value }), ", ")
}

// Indexes lists the indexes of the file, with a notice of damaged entries.
func Indexes(c *engine.Call) ([]storage.IndexInfo, error) {
	list, err := c.DB.Store.Indexes(c.Ctx, "")
	return list, c.Rest(err, "an index", "DROP INDEX or CREATE INDEX replaces it")
}
