package block

import (
	"context"
	"fmt"
	"unsafe"

	"heavytail/storage/internal/fault"
)

// Column holds the values of one attribute for vertices 0 to Len()-1 of a snapshot. It uses one
// bit per vertex to mark missing values. In addition, integers and floats take 8 bytes per
// vertex, booleans one bit, and texts 4 bytes, with a dictionary of 8 bytes per distinct text
// plus the bytes of the text. It is safe for concurrent use as long as nobody calls Set.
type Column struct {
	Attribute

	n        int
	count    int      // values that are not missing
	present  []uint64 // bit per vertex
	integers []int64
	floats   []float64
	booleans []uint64 // bit per vertex
	codes    []uint32 // text of each vertex, as a number in texts
	texts    KeySet   // distinct texts; number 0 is the empty one
	table    KeyTable // of texts; empty until Set needs it
}

// NewColumn returns a column of n vertices that all miss the attribute.
func NewColumn(a Attribute, n int) *Column {
	c := &Column{Attribute: a, n: n, present: NewBits(n)}
	switch a.Type {
	case Text:
		c.codes = make([]uint32, n)
		c.texts = NewKeySet(0)
		c.texts.Add(nil)
	case Integer:
		c.integers = make([]int64, n)
	case Float:
		c.floats = make([]float64, n)
	case Boolean:
		c.booleans = NewBits(n)
	}
	return c
}

// NewBits returns a set of n bits, all of them 0.
func NewBits(n int) []uint64 { return make([]uint64, (n+63)/64) }

// BitAt reports bit i of a set.
func BitAt(set []uint64, i uint32) bool { return set[i/64]>>(i%64)&1 != 0 }

// SetBit sets bit i of a set.
func SetBit(set []uint64, i uint32, on bool) {
	if on {
		set[i/64] |= 1 << (i % 64)
	} else {
		set[i/64] &^= 1 << (i % 64)
	}
}

// Len returns the number of vertices.
func (c *Column) Len() int { return c.n }

// Count returns the number of vertices that have a value.
func (c *Column) Count() int { return c.count }

// IsMissing reports whether vertex v, which must be below Len, has no value.
func (c *Column) IsMissing(v uint32) bool { return !BitAt(c.present, v) }

// At returns the value of vertex v, which must be below Len.
func (c *Column) At(v uint32) Value {
	if c.IsMissing(v) {
		return Value{}
	}
	switch c.Type {
	case Text:
		return TextValue(c.Text(v))
	case Integer:
		return IntegerValue(c.integers[v])
	case Float:
		return FloatValue(c.floats[v])
	}
	return BooleanValue(BitAt(c.booleans, v))
}

// Integers returns the integers of all vertices, 0 for a missing one, or nil for columns of
// other types. The slice must not be modified.
func (c *Column) Integers() []int64 { return c.integers }

// Floats returns the floats of all vertices, 0 for a missing one, or nil for columns of other
// types. The slice must not be modified.
func (c *Column) Floats() []float64 { return c.floats }

// Boolean returns the boolean of vertex v; false if it is missing, and for columns of other
// types.
func (c *Column) Boolean(v uint32) bool { return c.booleans != nil && BitAt(c.booleans, v) }

// Text returns the text of vertex v; "" if it is missing, and for columns of other types.
func (c *Column) Text(v uint32) string {
	if c.codes == nil {
		return ""
	}
	return c.TextOf(c.codes[v])
}

// Codes returns, for every vertex, the number of its text in the dictionary, or 0 (the empty
// text) if it is missing. For columns of other types it returns nil. With the codes a condition
// on texts is evaluated only once per text of the dictionary. The slice must not be modified.
func (c *Column) Codes() []uint32 { return c.codes }

// Texts returns the number of texts in the dictionary. It contains all texts of the vertices,
// and possibly texts that no vertex has any more.
func (c *Column) Texts() int { return c.texts.Len() }

// TextOf returns the text with the given number, which must be below Texts.
func (c *Column) TextOf(code uint32) string { return TextOf(c.texts.At(code)) }

// TextOf returns a string that shares its memory with bytes that never change.
func TextOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes returns the memory used by the column.
func (c *Column) Bytes() int64 {
	size := 8*cap(c.present) + 8*cap(c.integers) + 8*cap(c.floats) + 8*cap(c.booleans) + 4*cap(c.codes) +
		cap(c.texts.Blob) + 8*cap(c.texts.Offsets) + 16*cap(c.table.short) + 8*cap(c.table.long)
	return int64(size) + int64(unsafe.Sizeof(*c))
}

// Growing is as [Interner.Growing].
func (c *Column) Growing(step int64) int64 {
	return c.Bytes() - c.texts.Bytes() - c.table.Bytes() + c.texts.Growing(step) + c.table.Growing()
}

// Set sets the value of vertex v, or removes it if x is missing. An integer in a column of
// floats becomes a float. Any other mismatch of types, a value that cannot be stored, or a
// vertex outside the column gives ErrInvalid; a text that is too long gives ErrLimit.
func (c *Column) Set(v uint32, x Value) error {
	if uint64(v) >= uint64(c.n) {
		return fmt.Errorf("attribute %q: vertex %d of %d: %w", fault.Clip(c.Name), v, c.n, fault.ErrInvalid)
	}
	x, err := ValueFor(c.Attribute, x)
	if err != nil {
		return err
	}
	PutValue(c, v, x)
	return nil
}

// PutValue stores a value of the column's type, or a missing one.
func PutValue(c *Column, v uint32, x Value) {
	if had := BitAt(c.present, v); had != !x.IsMissing() {
		SetBit(c.present, v, !had)
		if had {
			c.count--
		} else {
			c.count++
		}
	}
	switch c.Type {
	case Text:
		c.codes[v] = c.code(BytesOf(x.text))
	case Integer:
		c.integers[v] = x.Integer()
	case Float:
		c.floats[v] = x.Float()
	case Boolean:
		SetBit(c.booleans, v, x.Boolean())
	}
}

// code returns the number of a text in the dictionary, and adds the text if it is new.
func (c *Column) code(text []byte) uint32 {
	if len(text) == 0 {
		return 0
	}
	if c.table.short == nil {
		c.table, _ = TableOf(context.Background(), &c.texts) // fails only if its context is cancelled
	}
	if id, found := c.table.Find(&c.texts, text); found {
		return id
	}
	id := uint32(c.texts.Len())
	c.texts.Add(text)
	c.table.Add(&c.texts, id)
	return id
}

// AdoptTexts makes texts the dictionary of a column of texts that has no values yet, and codes the
// texts of its first vertices: a code is the number of a text in the dictionary + 1, or 0 for a
// missing value. Text number 0 is the empty one. The column keeps both lists.
func AdoptTexts(c *Column, codes []uint32, texts KeySet) {
	c.texts, c.table = texts, KeyTable{}
	for v, code := range codes {
		if code > 0 {
			SetBit(c.present, uint32(v), true)
			c.count++
			c.codes[v] = code - 1
		}
	}
}

// CompactColumn frees the memory that only Set needs; the next Set rebuilds it.
func CompactColumn(c *Column) { c.table = KeyTable{} }

// FillColumn copies to c the values of another column of the same type, which must not be
// longer.
func FillColumn(c, from *Column) {
	for v := range uint32(from.n) {
		if !from.IsMissing(v) {
			PutValue(c, v, from.At(v))
		}
	}
}

// DigestColumn adds all content of the column to d.
func DigestColumn(c *Column, d *Digester) {
	DigestList(d, c.present)
	DigestList(d, c.integers)
	DigestList(d, c.floats)
	DigestList(d, c.booleans)
	DigestList(d, c.codes)
	DigestList(d, c.texts.Offsets)
	DigestList(d, c.texts.Blob)
}
