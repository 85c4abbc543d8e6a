package entries

import (
	"fmt"
	"strings"

	"heavytail/query/fault"
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
