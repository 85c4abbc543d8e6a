package graphs

import (
	"errors"
	"fmt"
	"math"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// Size is the size of the file as this transaction found it.
func Size(t *tree.Tx) int64 { return t.Root.Tx().Size() }

// Bound is an upper bound for the bytes of anything that an entry of the catalogue
// counts.
func Bound(t *tree.Tx) int64 {
	if t.Pending { // pages that are not written yet are not in the size
		return math.MaxInt64
	}
	return Size(t)
}

// Find reads the record of a graph; a missing one is a *fault.NotFoundError.
func Find(t *tree.Tx, name string) (*Record, error) {
	r := new(Record)
	found, err := t.Get(block.GraphsName, []byte(name), r)
	if err == nil && found {
		err = r.Validate(Bound(t))
	}
	if err != nil {
		return nil, fault.Corrupt(t.Path, DescribeGraph(name), err)
	}
	if !found {
		return nil, &fault.NotFoundError{Kind: "graph", Name: name}
	}
	return r, nil
}

// SlotsOf reads which slots of a graph have a vertex.
func SlotsOf(t *tree.Tx, r *Record) (block.SlotMap, error) {
	return t.ReadSlots(r.Object, r.Slots, r.Slots-r.Vertices)
}

// Create makes the catalogue entry of an empty graph.
func Create(t *tree.Tx, name string, directed bool) (*Record, error) {
	if _, err := Find(t, name); err == nil {
		return nil, fmt.Errorf("graph %q: %w", name, fault.ErrExists)
	} else if !errors.Is(err, fault.ErrNotFound) {
		return nil, err
	}
	now := time.Now().UnixNano()
	r := &Record{ID: t.NewID(), Version: 1, Created: now, Modified: now, Directed: directed}
	if directed {
		t.Header.Need(block.FeatureDirected)
	}
	return r, t.Put(block.GraphsName, []byte(name), r)
}
