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
	v := columnarVertices{File: f, h: h, stats: &stats, maxValue: opts.MaxValue}
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
	v.columns = []int{key - 1}
	for column, at := range place {
		if at < 0 {
			continue
		}
		if !heldKind(f.file.Columns()[column].Kind) {
			return stats.ReadStats, f.unfit(column, "no attribute can hold it; the option columns chooses which columns are taken")
		}
		v.columns = append(v.columns, column)
	}
	v.values, v.texts = make([][]byte, len(columns)), make([][]byte, len(columns))
	for i := range v.texts {
		v.texts[i] = []byte{} // not nil, so that an empty text differs from a missing value
	}
	if err := h.Columns(columns); err != nil {
		return stats.ReadStats, err
	}
	err = f.each(&stats, v.columns, v.row)
	return stats.ReadStats, err
}

// columnarVertices reads vertices from the rows of some columns, the first of which holds the
// keys.
type columnarVertices struct {
	*File
	h        format.Handler
	stats    *reading.Stats
	maxValue int
	columns  []int // of the file
	scratch  []byte
	values   [][]byte // values of the current row
	texts    [][]byte // buffers of the values
}

func (v *columnarVertices) row(rows columnfile.Rows) error {
	key, reason := v.key(rows, 0, v.columns[0], v.scratch[:0])
	if reason != "" {
		return v.bad(v.stats, v.columns[0], "%s", reason)
	}
	v.scratch = key
	for i := range v.values {
		v.values[i] = nil
		if rows.Missing(i + 1) {
			continue
		}
		text, there, reason := v.text(rows, i+1, v.columns[i+1], v.maxValue, v.texts[i][:0])
		if reason != "" {
			return v.bad(v.stats, v.columns[i+1], "%s", reason)
		}
		if v.texts[i] = text; there {
			v.values[i] = text
		}
	}
	v.stats.Vertices++
	return v.h.Vertex(key, v.values)
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
