package storage

import (
	"fmt"
	"heavytail/storage/internal/tree"
)

// Open opens the store in the file at path, and makes one if there is none and the
// options allow it. A file that is not a store, needs newer code, is damaged or is in
// use is refused with an error that says so. Such a file is not changed.
//
// It takes a few milliseconds whatever the size of the file. Before bbolt
// follows a page, its shape is verified with plain reads: at once that of the
// catalogue, and that of a graph or embedding at its first use. The first write
// verifies the whole tree, which takes some tenths of a second per gigabyte. So
// a file with damage outside of the catalogue is opened; what is sound in it
// can be used, Check lists the rest, and nothing is written to it.
func Open(path string, opts *Options) (*DB, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("open %q: %w", path, err)
	}
	o := opts.withDefaults()
	store, err := tree.Open(path, o.settings(), allOwners)
	if err != nil {
		return nil, err
	}
	return &DB{store, o}, nil
}
