package gather

import (
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
