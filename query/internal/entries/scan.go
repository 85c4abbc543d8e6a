package entries

import (
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// NoteMeasures gives notices of the attributes that are stored measures of an older
// version of the graph.
func NoteMeasures(c *engine.Call, graph storage.GraphInfo, attributes []string) error {
	for i, a := range graph.Attributes {
		if graph.Computed[i] == nil || !slices.Contains(attributes, a.Name) {
			continue
		}
		behind, err := Behind(c, graph.Name, graph.Computed[i].GraphVersion)
		if err != nil {
			return err
		}
		if behind > 0 {
			name := fault.Name(graph.Name)
			c.Notice("measure %s is %s behind graph %s; REFRESH MEASURE %s IN %s", fault.Name(a.Name), fault.Count(int64(behind), "version"), name, fault.Name(a.Name), name)
		}
	}
	return nil
}
