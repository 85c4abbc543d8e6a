package storage

import (
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
)

// kind is an artefact[R] whatever its R.
type kind interface {
	owner
	check(c *checker) error
	copyTo(t *tree.Tx, w *storeWriter, refer func(object uint64, where string)) error
	count(t *tree.Tx, s sizes, out *Stats) (damaged, err error)
	table() rescue.Table
	top() []byte
}

func kinds() []kind { return []kind{&indexKind, &modelKind, &predictionKind, &jobKind} }

// allOwners lists the owners of all objects.
func allOwners(t *tree.Tx) tree.Owners { return ownersIn(t, owning()) }

// owning are the kinds as owners of objects.
func owning() []owner {
	var list []owner
	for _, k := range kinds() {
		list = append(list, k)
	}
	return list
}
