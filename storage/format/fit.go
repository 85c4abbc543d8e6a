package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/format/internal/figure"
)

// fit reports options that do not apply to the detected layout.
func fit(o Options) error {
	type use struct {
		option  string
		value   any
		what    string
		set     bool
		layouts []Layout
	}
	var faults []error
	header := o.Header.String()
	texts := []Layout{LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutVertices}
	columns := slices.DeleteFunc(Layouts(), func(l Layout) bool { return !l.HasColumns() })
	elements := append([]Layout{LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML}, columns...)
	for _, u := range []use{
		{"source", o.Source, "a source column", o.Source != "", columns},
		{"target", o.Target, "a target column", o.Target != "", columns},
		{"weight", o.Weight, "a weight column", o.Weight != "" && o.Weight != NoColumn, elements},
		{"time", o.Time, "a time column", o.Time != "" && o.Time != NoColumn, elements},
		{"time_unit", o.TimeUnit, "a unit of times", figure.PerSecond(o.TimeUnit) > 0, elements},
		{"key", o.Key, "a key column", o.Key != "", []Layout{LayoutVertices, LayoutGML}},
		{"ends", string(o.Ends), "a meaning of the ends of links", o.Ends != "" && o.Ends != EndsAuto, []Layout{LayoutJSON}},
		{"keys", o.KeysName, "a file of keys", o.KeysName != "", []Layout{LayoutMETIS}},
		{"columns", strings.Join(o.Columns, ", "), "a choice of attributes", o.Columns != nil, []Layout{LayoutVertices, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML}},
		{"separator", o.Separator, "a separator", o.Separator != "" && o.Separator != "auto", texts},
		{"header", header, "a header without names", o.Header == HeaderNone, texts},
		{"header", header, "a header of names", o.Header == HeaderNames, texts},
		{"header", header, "a header of counts", o.Header == HeaderCounts, []Layout{LayoutEdges}},
	} {
		if u.set && !slices.Contains(u.layouts, o.Layout) {
			faults = append(faults, &OptionError{Option: u.option, Value: u.value, Conflict: fmt.Sprintf("layout %s has no use for %s", o.Layout, u.what)})
		}
	}
	return errors.Join(faults...)
}
