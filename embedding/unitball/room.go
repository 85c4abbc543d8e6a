package unitball

// Capacities of the pieces of a room: the first has few, and each later one twice as
// many as the one before, up to the most.
const firstPiece, mostPiece = 1 << 10, 1 << 18

// room stores the rows of a list in a few large pieces, which the next list uses
// again. Separate rows that keep their largest capacity took four times as much
// memory.
type room struct {
	pieces [][]uint32
	at     int // the piece that the next row is in
}

// clear makes all pieces free.
func (r *room) clear() {
	for i := range r.pieces {
		r.pieces[i] = r.pieces[i][:0]
	}
	r.at = 0
}

// row returns an empty row with a capacity of most elements. It is valid until the
// next call of row, unless it is passed to keep.
func (r *room) row(most int) []uint32 {
	for ; r.at < len(r.pieces); r.at++ {
		if p := r.pieces[r.at]; cap(p)-len(p) >= most {
			return p[len(p):]
		}
	}
	size := firstPiece
	if r.at > 0 {
		size = min(mostPiece, 2*cap(r.pieces[r.at-1]))
	}
	r.pieces = append(r.pieces, make([]uint32, 0, max(size, most)))
	return r.pieces[r.at]
}

// keep keeps the elements of the last row until the room is cleared.
func (r *room) keep(row []uint32) []uint32 {
	p := r.pieces[r.at]
	r.pieces[r.at] = p[:len(p)+len(row)]
	return row[:len(row):len(row)]
}
