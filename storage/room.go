package storage

import "heavytail/storage/internal/file"

// room is the memory that a transaction has for the keys and values of a graph, which are not
// counted in its record.
type room struct {
	fits func(bytes int64) error // an error if so many bytes are too many
	kept int64                   // bytes of the lists that are complete
}

// roomStep is how many bytes of records are read between two looks at the memory.
const roomStep = 1 << 20

// took counts bytes of records that were added to a list. growing is the memory of the list, and of
// a larger one if it may grow before the next look.
func (t *tx) took(bytes int, growing func(step int64) int64) error {
	if t.unseen += bytes; t.unseen < roomStep {
		return nil
	}
	t.unseen = 0
	t.releaseMap()
	if t.room == nil {
		return nil
	}
	return t.room.fits(t.room.kept + growing(4*roomStep))
}

// complete counts a list to which nothing will be added.
func (t *tx) complete(bytes int64) {
	if t.room != nil {
		t.room.kept += bytes
	}
}

// releaseMap gives the pages of the map that were read back to the system, which keeps them while it
// has memory for them. Otherwise they count as memory of the process.
func (t *tx) releaseMap() {
	btx := t.root.Tx()
	file.Release(btx.DB().Info().Data, btx.Size())
}
