package storage

import (
	"fmt"
	"maps"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// Every object belongs to one entry of the catalogue, the journal or the trash: two would
// read the same records, and the first that is dropped or replaced would free them under the
// other. A transaction counts for each object how many more entries refer to it than before.
// If it is one more at the end, the entries are looked through before anything is written.

// references are these counts, by the numbers of the objects.
type references map[uint64]int

// referring is a record to which objects belong.
type referring interface {
	refersTo() []uint64 // 0 is no object
}

func (r *graphRecord) refersTo() []uint64      { return []uint64{r.Object} }
func (r *embeddingRecord) refersTo() []uint64  { return []uint64{r.Object, r.State.Object} }
func (r *indexRecord) refersTo() []uint64      { return []uint64{r.Stream.Object} }
func (r *modelRecord) refersTo() []uint64      { return []uint64{r.Stream.Object} }
func (r *predictionRecord) refersTo() []uint64 { return []uint64{r.Object} }
func (r *jobRecord) refersTo() []uint64        { return []uint64{r.Checkpoint.Object} }
func (r *journalRecord) refersTo() []uint64    { return []uint64{r.Object} }

// recordIn is an empty record of a top bucket; nil where the bucket has no records to which
// objects belong.
func recordIn(bucket []byte) referring {
	switch string(bucket) {
	case string(block.GraphsName):
		return new(graphRecord)
	case string(block.EmbeddingsName):
		return new(embeddingRecord)
	case string(block.IndexesName):
		return new(indexRecord)
	case string(block.ModelsName):
		return new(modelRecord)
	case string(block.PredictionsName):
		return new(predictionRecord)
	case string(block.JobsName):
		return new(jobRecord)
	case string(block.JournalName):
		return new(journalRecord)
	}
	return nil
}

// count adds n to the counts of the objects of a record.
func (m *references) count(r referring, n int) {
	if r == nil {
		return
	}
	for _, object := range r.refersTo() {
		m.add(object, n)
	}
}

func (m *references) add(object uint64, n int) {
	if *m == nil {
		*m = make(references)
	}
	if object != 0 {
		(*m)[object] += n
	}
}

// gone counts the references of a stored record that is replaced or removed. Those of a
// damaged one are unknown.
func (m *references) gone(bucket, key, record []byte) {
	if old := recordIn(bucket); old != nil && record != nil && block.DecodeStruct(bucket, key, record, old) == nil {
		m.count(old, -1)
	}
}

// checkReferences returns ErrShared if the transaction would let a further entry refer to an
// object that one has already.
func (t *tx) checkReferences(kinds []owner) error {
	var o owners
	for _, object := range slices.Sorted(maps.Keys(t.references)) {
		if t.references[object] <= 0 {
			continue
		}
		if o == nil {
			o = t.owners(kinds)
		}
		if list := o[object]; len(list) > 1 {
			return &FileError{Path: t.path, Object: list[1], Err: ErrShared, Reason: fmt.Sprintf("object %d belongs to %s", object, list[0]), Remedy: fault.RemedyShared}
		}
	}
	return nil
}
