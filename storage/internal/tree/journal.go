package tree

import (
	"heavytail/storage/internal/block"
)

// JournalRecord is what an unfinished import, embedding or blob has written so far.
// It is in the same transaction as what it describes.
type JournalRecord struct {
	Object  uint64 `msgpack:"object"`
	GraphID uint64 `msgpack:"graph_id"` // 0: the graph is made when the import is published
	Version uint64 `msgpack:"version"`  // of the graph when the import began
	Digest  []byte `msgpack:"digest"`   // of what is being written and where it came from; see contents.digest
	Part    uint8  `msgpack:"part"`     // index of StagedParts
	Next    uint64 `msgpack:"next"`     // position in that part
	Source  string `msgpack:"source"`
	Started int64  `msgpack:"started"` // nanoseconds of Unix time
}

// Kinds of journal entries, the first byte of their keys; a name follows.
const (
	JournalGraph     = 'g'
	JournalEmbedding = 'e'
	JournalBlob      = 'b' // the name is the number of the object, of eight bytes
)

// ObjectName is the name of an object in the journal.
func ObjectName(object uint64) string { return string(block.Key64(object)) }

// JournalKey is the key of a journal entry.
func JournalKey(kind byte, name string) []byte { return append([]byte{kind}, name...) }

// DropJournal discards what an unfinished operation has written.
func DropJournal(t *Tx, kind byte, name string) error {
	key := JournalKey(kind, name)
	var j JournalRecord
	found, err := t.Get(block.JournalName, key, &j)
	if err != nil || !found {
		return err
	}
	if err := t.Discard(j.Object); err != nil {
		return err
	}
	return t.Remove(block.JournalName, key)
}
