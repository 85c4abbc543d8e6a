package gather

import (
	"context"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// declared is the set of vertices that the input lists as such, beside the ends of its edges.
type declared struct {
	bits     []uint64
	repeated format.Remark // vertices that are listed again
}

// remarkNames is how many keys a remark names.
const remarkNames = 5

// add adds a vertex.
func (d *declared) add(v uint32, key []byte) {
	for int(v/64) >= len(d.bits) {
		d.bits = append(d.bits, 0)
	}
	if !block.BitAt(d.bits, v) {
		block.SetBit(d.bits, v, true)
		return
	}
	addName(&d.repeated, key)
}

func (d *declared) has(v uint32) bool { return int(v/64) < len(d.bits) && block.BitAt(d.bits, v) }

func addName(r *format.Remark, key []byte) {
	r.Count++
	if len(r.Names) == remarkNames {
		return
	}
	name := fault.Clip(string(key))
	if quoted := strconv.QuoteToASCII(name); quoted != `"`+name+`"` {
		name = quoted
	}
	if !slices.Contains(r.Names, name) {
		r.Names = append(r.Names, name)
	}
}

// Remarks reports, for a format that has an element for each vertex, those that occur twice, and
// the new vertices of the graph that are only ends of edges. A file without any such element
// has edges only, and gives no remark.
func (m *Merged) Remarks(ctx context.Context, layout format.Layout) ([]format.Remark, error) {
	l := m.list
	if len(l.declared.bits) == 0 || !layout.Declares() {
		return nil, nil
	}
	var all []format.Remark
	if r := l.declared.repeated; r.Count > 0 {
		r.What, r.Remedy = "vertices declared again", "the last value of each attribute counts"
		all = append(all, r)
	}
	undeclared := format.Remark{What: "ends of edges that no element declares, taken as new vertices"}
	for v := range uint32(l.names.Keys.Len()) {
		if v%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !l.declared.has(v) && (m.number == nil || int(m.number[v]) >= m.base.Keys.Len()) {
			addName(&undeclared, l.names.Keys.At(v))
		}
	}
	if undeclared.Count > 0 {
		all = append(all, undeclared)
	}
	return all, nil
}
