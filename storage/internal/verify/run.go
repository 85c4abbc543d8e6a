package verify

import "heavytail/storage/internal/tree"

// Run checks what a transaction of a store sees. owners lists what objects belong to; report is
// called after each object with the number of objects so far. The memory is that of the
// largest graph.
func Run(t *tree.Tx, store *tree.Store, kinds []Kind, owners func(*tree.Tx) tree.Owners, report func(done int64)) (Report, error) {
	c := Checker{Tx: t, store: store, owners: owners, report: report, objects: map[uint64]string{}, parts: map[uint64][][]byte{}, graphs: map[uint64]*Graph{}}
	steps := []func() error{c.walk, c.checkGraphs}
	for _, k := range kinds {
		steps = append(steps, func() error { return k.Check(&c) })
	}
	for _, step := range append(steps, c.checkChanges, c.checkJournal, c.checkTrash, c.checkObjects) {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	c.Report.Records += t.Scanned
	return c.Report, nil
}
