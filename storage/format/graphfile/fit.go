package graphfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/figure"
)

// fit reports options that do not apply to the detected layout.
func fit(o format.Options) error {
	type use struct {
		option  string
		value   any
		what    string
		set     bool
		layouts []format.Layout
	}
	var faults []error
	header := o.Header.String()
	texts := []format.Layout{format.LayoutEdges, format.LayoutAdjacency, format.LayoutMatrix, format.LayoutVertices}
	columns := slices.DeleteFunc(format.Layouts(), func(l format.Layout) bool { return !l.HasColumns() })
	elements := append([]format.Layout{format.LayoutGraphML, format.LayoutGEXF, format.LayoutJSON, format.LayoutGML}, columns...)
	for _, u := range []use{
		{"source", o.Source, "a source column", o.Source != "", columns},
		{"target", o.Target, "a target column", o.Target != "", columns},
		{"weight", o.Weight, "a weight column", o.Weight != "" && o.Weight != format.NoColumn, elements},
		{"time", o.Time, "a time column", o.Time != "" && o.Time != format.NoColumn, elements},
		{"time_unit", o.TimeUnit, "a unit of times", figure.PerSecond(o.TimeUnit) > 0, elements},
		{"key", o.Key, "a key column", o.Key != "", []format.Layout{format.LayoutVertices, format.LayoutGML}},
		{"ends", string(o.Ends), "a meaning of the ends of links", o.Ends != "" && o.Ends != format.EndsAuto, []format.Layout{format.LayoutJSON}},
		{"keys", o.KeysName, "a file of keys", o.KeysName != "", []format.Layout{format.LayoutMETIS}},
		{"columns", strings.Join(o.Columns, ", "), "a choice of attributes", o.Columns != nil, []format.Layout{format.LayoutVertices, format.LayoutGraphML, format.LayoutGEXF, format.LayoutJSON, format.LayoutGML}},
		{"separator", o.Separator, "a separator", o.Separator != "" && o.Separator != "auto", texts},
		{"header", header, "a header without names", o.Header == format.HeaderNone, texts},
		{"header", header, "a header of names", o.Header == format.HeaderNames, texts},
		{"header", header, "a header of counts", o.Header == format.HeaderCounts, []format.Layout{format.LayoutEdges}},
	} {
		if u.set && !slices.Contains(u.layouts, o.Layout) {
			faults = append(faults, &format.OptionError{Option: u.option, Value: u.value, Conflict: fmt.Sprintf("layout %s has no use for %s", o.Layout, u.what)})
		}
	}
	return errors.Join(faults...)
}
