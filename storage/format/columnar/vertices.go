package columnar

import (
	"errors"
	"fmt"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/reading"
)

func (f *File) vertices(opts format.Options, h format.Handler) (_ format.ReadStats, err error) {
	var stats reading.Stats
	names := f.names()
	stats.Header = strings.Join(names, ",")
	opts = opts.WithDefaults()
	var columns []format.Column
	var place []int
	key, doubt := reading.KeyColumn(opts.Key, names)
	if doubt == "" {
		columns, place, doubt = reading.Choose(names, f.types(), key-1, opts.Columns)
	}
	if doubt != "" {
		return stats.ReadStats, &Error{File: f.opts.Name, Reason: doubt, Kind: format.ErrSyntax}
	}
	if !keyKind(f.file.Columns()[key-1].Kind) {
		return stats.ReadStats, f.unfit(key-1, "the key of a vertex is a text or an integer; the option key chooses another column")
	}
	v := columnarVertices{File: f, h: h, stats: &stats, key: key - 1, values: values{most: opts.MaxValue}}
	for column, at := range place {
		if at < 0 {
			continue
		}
		if !heldKind(f.file.Columns()[column].Kind) {
			return stats.ReadStats, f.unfit(column, "no attribute can hold it; the option columns chooses which columns are taken")
		}
		v.values.columns = append(v.values.columns, column)
	}
	v.values.begin()
	if err := h.Columns(columns); err != nil {
		return stats.ReadStats, err
	}
	err = f.each(&stats, append([]int{v.key}, v.values.columns...), v.row)
	return stats.ReadStats, err
}

// columnarVertices reads vertices from the rows of some columns.
type columnarVertices struct {
	*File
	h       format.Handler
	stats   *reading.Stats
	key     int // of the file
	scratch []byte
	values  values
}

func (v *columnarVertices) row(rows columnfile.Rows) error {
	key, reason := v.File.key(rows, 0, v.key, v.scratch[:0])
	if reason != "" {
		return v.bad(v.stats, v.key, "%s", reason)
	}
	v.scratch = key
	if column, reason := v.values.read(v.File, rows, 1); reason != "" {
		return v.bad(v.stats, column, "%s", reason)
	}
	v.stats.Vertices++
	return v.h.Vertex(key, v.values.row)
}

// fitVertices reports options that a table of vertices has no use for.
func (f *File) fitVertices(opts format.Options) error {
	var faults []error
	conflict := func(option string, value, text string) {
		faults = append(faults, &format.OptionError{Option: option, Value: value, Conflict: fmt.Sprintf(text, f.form.Title())})
	}
	if s := opts.Separator; s != "" && s != "auto" {
		conflict("separator", s, "%s has no use for a separator")
	}
	if opts.Header == format.HeaderNone {
		conflict("header", opts.Header.String(), "the columns of %s always have names")
	}
	return errors.Join(faults...)
}
