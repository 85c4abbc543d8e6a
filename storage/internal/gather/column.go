package gather

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// Column is an attribute whose values are kept as texts until all of them, and with
// them its type, are known. It takes 4 bytes per vertex, and 20 to 50 per distinct text
// beside its bytes. An attribute of edges has a row for each edge that was read with values, in
// place of a vertex.
type Column struct {
	Name  string
	kind  block.Type   // 0 if the input does not declare it
	codes []uint32     // by vertex: the number of its text in texts + 1, or 0
	texts block.KeySet // distinct texts; number 0 is the empty one
	table block.KeyTable

	repeated int64             // values that differ from an earlier value of their vertex or edge
	joiner   string            // between the values of a vertex; "" keeps the last
	joined   map[uint32][]byte // by vertex that has several values: all of them

	joinedBytes int64 // that these take

	missing absences // words that mean a missing value
	spoiler string   // the first text that makes a column of texts, although nearly all others are numbers
}

func newColumn(c format.Column, joiner string) (*Column, error) {
	r := &Column{Name: c.Name, texts: block.NewKeySet(0), joiner: joiner}
	if joiner != "" {
		r.kind, r.joined = block.Text, map[uint32][]byte{}
	}
	r.texts.Add(nil)
	err := r.setType(c.Type)
	if err != nil {
		return nil, err
	}
	r.table, err = block.TableOf(context.Background(), &r.texts)
	return r, err
}

// setType sets the type that the input declares.
func (c *Column) setType(t format.Type) error {
	kind, err := typeOf(t)
	if kind != 0 {
		c.kind = kind
	}
	return err
}

// typeOf returns the type that a format calls t, or 0 for [format.Untyped].
func typeOf(t format.Type) (block.Type, error) {
	if t == format.Untyped {
		return 0, nil
	}
	return block.ParseType(string(t))
}

// set sets the value of a vertex. If a vertex has several, the last one counts, or all are joined.
func (c *Column) set(v uint32, text []byte) error {
	if missing := int(v) + 1 - len(c.codes); missing > 0 {
		c.codes = append(c.codes, make([]uint32, missing)...)
	}
	if code := c.codes[v]; code > 0 && !bytes.Equal(c.texts.At(code-1), text) {
		c.repeated++
		if c.joiner != "" {
			return c.add(v, text)
		}
	}
	return c.put(v, text)
}

// add appends a value to those of a vertex, unless it is one of them.
func (c *Column) add(v uint32, text []byte) error {
	all, several := c.joined[v]
	if !several {
		all = bytes.Clone(c.texts.At(c.codes[v] - 1))
	}
	for known := range bytes.SplitSeq(all, []byte(c.joiner)) {
		if bytes.Equal(known, text) {
			return nil
		}
	}
	all = append(append(all, c.joiner...), text...)
	// Compared with the limit as it grows, so that each addition stays cheap.
	if len(all) > block.MaxText {
		return fmt.Errorf("attribute %q: values of %d bytes together, at most %d: %w", fault.Clip(c.Name), len(all), block.MaxText, fault.ErrLimit)
	}
	c.joined[v] = all
	c.joinedBytes += int64(len(text) + len(c.joiner))
	if !several {
		c.joinedBytes += int64(len(all)) + 64
	}
	return nil
}

// joinAll sets the joined values of the vertices that have several; key names a vertex.
func (c *Column) joinAll(ctx context.Context, key func(v uint32) []byte) error {
	for i, v := range slices.Sorted(maps.Keys(c.joined)) {
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.put(v, c.joined[v]); err != nil {
			return fmt.Errorf("vertex %q: %w", fault.Clip(string(key(v))), err)
		}
	}
	c.joined, c.joinedBytes = nil, 0
	c.table = block.KeyTable{} // the last value was set
	return nil
}

// put sets the only value of a vertex.
func (c *Column) put(v uint32, text []byte) error {
	if len(text) == 0 {
		c.codes[v] = 1
		return nil
	}
	// The table takes texts without NUL only.
	if bytes.IndexByte(text, 0) < 0 {
		if id, found := c.table.Find(&c.texts, text); found {
			c.codes[v] = id + 1
			return nil
		}
	}
	if err := block.CheckValue(block.TextValue(block.TextOf(text))); err != nil {
		return fmt.Errorf("attribute %q: %w", fault.Clip(c.Name), err)
	}
	id := uint32(c.texts.Len())
	c.texts.Add(text)
	c.table.Add(&c.texts, id)
	c.codes[v] = id + 1
	return nil
}

// drop removes the value of a row.
func (c *Column) drop(v uint32) {
	if int(v) < len(c.codes) {
		c.codes[v] = 0
	}
}

// used reports for every text whether a vertex still has it.
func (c *Column) used() []bool {
	used := make([]bool, c.texts.Len())
	for _, code := range c.codes {
		if code > 0 {
			used[code-1] = true
		}
	}
	return used
}

// Type is the type that the input declares, or else the narrowest one that holds all
// values; it is 0 if there are none.
func (c *Column) Type(ctx context.Context) (block.Type, error) {
	if c.kind != 0 {
		return c.kind, nil
	}
	return c.guess(ctx)
}

// Bytes is the memory of the values; joined texts count twice.
func (c *Column) Bytes() int64 {
	return 4*int64(cap(c.codes)) + c.texts.Bytes() + c.table.Bytes() + 2*c.joinedBytes
}

// growing is as [block.Interner.Growing].
func (c *Column) growing(step int64) int64 {
	return block.GrowingList(c.codes) + c.texts.Growing(step) + c.table.Growing() + 2*c.joinedBytes
}

// free frees the memory of the values.
func (c *Column) free() { c.codes, c.texts, c.table = nil, block.KeySet{}, block.KeyTable{} }

// guess returns the narrowest type that holds all values, as [format.TypeOf] has it, and never one
// in which a number loses a digit. Words such as NA leave the type of the others, and are texts
// where there are only such words. Without values it is 0.
func (c *Column) guess(ctx context.Context) (block.Type, error) {
	var kind format.Type
	numbers, others, first := 0, 0, "" // distinct texts
	exact, missing := true, false      // float64 represents all integers; a text means that there is no value
	for i, used := range c.used() {
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if !used {
			continue
		}
		text := c.texts.At(uint32(i))
		of := format.TypeOf(text)
		if format.IsMissing(text) {
			missing, of = true, format.Untyped
		}
		if of == format.Integer {
			n, _ := strconv.ParseInt(string(text), 10, 64)
			exact = exact && -1<<53 <= n && n <= 1<<53
		}
		switch of {
		case format.Integer, format.Float:
			numbers++
		case format.Text, format.Boolean:
			if others++; others == 1 {
				first = string(text)
			}
		}
		kind = kind.Or(of)
	}
	if c.spoiler = ""; numbers > 1 && others > 0 && (others == 1 || numbers >= 9*others) {
		c.spoiler = first
	}
	if kind == format.Float && !exact || kind == format.Untyped && missing {
		return block.Text, nil
	}
	return typeOf(kind)
}

// absences counts words that mean a missing value.
type absences struct {
	count int64
	words []string // the first distinct ones
}

func (a *absences) add(word string, count int64) {
	a.count += count
	const most = 5
	if len(a.words) < most && !slices.Contains(a.words, word) {
		a.words = append(a.words, word)
	}
}

// holders returns the number of vertices that have a text.
func (c *Column) holders(text uint32) (n int64) {
	for _, code := range c.codes {
		if code == text+1 {
			n++
		}
	}
	return n
}

// parse returns the value of every text that is used; name names the vertex or the edge of a value that
// does not have the type. A word such as NA is a missing value of other types than text. Texts share the
// memory of the column.
func (c *Column) parse(ctx context.Context, a block.Attribute, name func(v uint32) string) ([]block.Value, error) {
	values := make([]block.Value, c.texts.Len())
	for i, used := range c.used() {
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !used {
			continue
		}
		text := c.texts.At(uint32(i))
		if a.Type != block.Text && format.IsMissing(text) {
			c.missing.add(string(text), c.holders(uint32(i)))
			continue
		}
		value, err := block.ParseValue(a.Type, block.TextOf(text))
		if err != nil {
			for v, code := range c.codes {
				if code == uint32(i)+1 {
					return nil, fmt.Errorf("%s, attribute %q: %w", name(uint32(v)), fault.Clip(c.Name), err)
				}
			}
		}
		values[i] = value
	}
	return values, nil
}
