package columnar

import (
	"heavytail/storage/format"
	"heavytail/storage/format/internal/reading"
)

// Graph reads the edges of a graph or a table of vertices, with options that fit the layout.
func (f *File) Graph(opts format.Options, h format.Handler) (stats format.ReadStats, err error) {
	layout := f.Layout(opts.Layout)
	if layout == format.LayoutVertices {
		if err := f.fitVertices(opts); err != nil {
			return stats, err
		}
		stats, err = f.vertices(opts, h)
	} else {
		e := columnarEdges{File: f, h: h, course: reading.NewDirection(opts, h), values: values{most: opts.WithDefaults().MaxValue}}
		stats, err = e.read()
	}
	stats.Layout = layout
	return stats, err
}
