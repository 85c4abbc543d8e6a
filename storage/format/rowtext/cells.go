package rowtext

import (
	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/internal/excerpt"
)

// cells reads the fields of a table.
type cells struct {
	stats    *reading.Stats
	sep      delimited.Separator
	maxValue int
}

// quotes remarks quotes between tabs, which are parts of the fields.
func (t *cells) quotes(field []byte, line int64) {
	if t.sep == delimited.SeparatorTab && delimited.InQuotes(field) {
		t.stats.Remark("fields in quotes between tabs, kept with their quotes", "", line, "fields between commas have quoting")
	}
}

// value returns the value of a field of a column, or nil if it is missing.
func (t *cells) value(c *format.Column, field []byte, at int, quoted bool, line int64) ([]byte, fault.Fault) {
	switch {
	case len(field) > t.maxValue:
		return nil, fault.Limit(at, "value %s has %d bytes, the limit is %d", excerpt.Of(field), len(field), t.maxValue)
	case len(field) == 0 && !(quoted && c.Type == format.Text):
		return nil, fault.Fault{}
	}
	if c.Type != format.Untyped && c.Type != format.Text && format.IsMissing(field) {
		t.stats.Remark(format.MissingValues, string(field), line, format.MissingRemedy)
		return nil, fault.Fault{}
	}
	if c.Type == format.Untyped && t.sep == delimited.SeparatorSemicolon && decimal.HasComma(field) {
		t.stats.Remark("numbers with a decimal comma, kept as texts", excerpt.Name([]byte(c.Name)), line, "write points to have numbers")
	}
	if reason := typed.Fault(c.Type, field); reason != "" {
		return nil, fault.Syntax(at, "%s: %s", excerpt.Of([]byte(c.Name)), reason)
	}
	return field, fault.Fault{}
}

// plain reports whether value would return the field as it is, without a remark, or nothing for an empty one.
func (t *cells) plain(c *format.Column, field []byte) bool {
	return len(field) <= t.maxValue && (c.Type == format.Text || c.Type == format.Untyped && t.sep != delimited.SeparatorSemicolon || len(field) == 0 ||
		c.Type != format.Untyped && !format.IsMissing(field) && typed.Fault(c.Type, field) == "")
}
