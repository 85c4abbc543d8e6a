package entries

import (
	"strings"

	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/rows"
	"heavytail/storage"
)

func IndexRow(x storage.IndexInfo) []rows.Value {
	number := func(name string) rows.Value { return Parameter(x.Parameters, name) }
	return []rows.Value{
		x.Embedding, x.Metric, int64(x.Vectors), number("m"), number("ef_construction"), number("ef"),
		x.Recall, x.Lowest, x.Poor, x.Bytes, x.Seconds, cells.Timestamp(x.Created),
	}
}

func SettingsText(list []storage.Setting) string {
	return strings.Join(lists.Map(list, func(s storage.Setting) string { return s.Name + " " + s.Value }), ", ")
}

func Indexes(c *engine.Call) ([]storage.IndexInfo, error) {
	list, err := c.DB.Store.Indexes(c.Ctx, "")
	return list, c.Rest(err, "an index", "DROP INDEX or CREATE INDEX replaces it")
}
