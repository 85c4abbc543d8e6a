package storage

import (
	"heavytail/storage/internal/block"
)

// Every object belongs to one entry of the catalogue, the journal or the trash: two would
// read the same records, and the first that is dropped or replaced would free them under the
// other. A transaction counts for each object how many more entries refer to it than before.
// If it is one more at the end, the entries are looked through before anything is written.

// references are these counts, by the numbers of the objects.
type references map[uint64]int

func (m *references) add(object uint64, n int) {
	if *m == nil {
		*m = make(references)
	}
	if object != 0 {
		(*m)[object] += n
	}
}

// count adds n to the counts of the objects of a stored record, nil for none. Those of a damaged
// record are unknown.
func (m *references) count(bucket, key, record []byte, n int) {
	if record == nil {
		return
	}
	for _, object := range objectsIn(bucket, key, record) {
		m.add(object, n)
	}
}

// objectsIn lists the objects to which a record of a top bucket refers, 0 for none.
func objectsIn(bucket, key, record []byte) []uint64 {
	var (
		whole struct {
			Object uint64 `msgpack:"object"`
		}
		rows struct {
			Object uint64     `msgpack:"object"`
			State  blobRecord `msgpack:"state"`
		}
		stream struct {
			Stream blobRecord `msgpack:"stream"`
		}
		job struct {
			Checkpoint blobRecord `msgpack:"checkpoint"`
		}
		err error
	)
	switch string(bucket) {
	case string(block.GraphsName), string(block.PredictionsName), string(block.JournalName):
		err = block.DecodeStruct(bucket, key, record, &whole)
	case string(block.EmbeddingsName):
		err = block.DecodeStruct(bucket, key, record, &rows)
	case string(block.IndexesName), string(block.ModelsName):
		err = block.DecodeStruct(bucket, key, record, &stream)
	case string(block.JobsName):
		err = block.DecodeStruct(bucket, key, record, &job)
	}
	if err != nil {
		return nil
	}
	return []uint64{whole.Object, rows.Object, rows.State.Object, stream.Stream.Object, job.Checkpoint.Object}
}
