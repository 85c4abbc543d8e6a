package tree

import "heavytail/storage/internal/block"

// dropJournal discards what an unfinished operation has written.
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
