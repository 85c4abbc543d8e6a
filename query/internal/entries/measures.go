package entries

import (
	"fmt"
	"slices"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// FromSetting names a vertex of FROM among the options of a stored measure.
const FromSetting = "from"

// ComputedText describes briefly how an attribute was computed.
func ComputedText(c *storage.Computed) string {
	var from []string
	var options []string
	for _, o := range c.Options {
		if o.Name == FromSetting {
			from = append(from, fault.QuoteKey(o.Value))
			continue
		}
		options = append(options, o.Name+" := "+o.Value)
	}
	text := c.Method
	if len(options) > 0 {
		text += "(" + strings.Join(options, ", ") + ")"
	}
	if len(from) > 0 {
		text += fmt.Sprintf(" FROM %s", strings.Join(from, ", "))
	}
	return text
}

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
