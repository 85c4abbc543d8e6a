package storage

import (
	"bytes"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
)

// part is one bucket of an object, with the seed of its records' checksums.
type part struct {
	bucket  *bolt.Bucket
	seed    block.Seed
	account *account // put and delete count their changes in it
}

// account is what a transaction adds to the tally of a bucket; nil if it is not
// counted.
type account = page.Tally

// accounts are the accounts of buckets by their places; the zero value has none.
type accounts map[string]*account

// of returns the account of a bucket, which it makes if there is none.
func (m *accounts) of(place string) *account {
	if *m == nil {
		*m = make(accounts)
	}
	a := (*m)[place]
	if a == nil {
		a = new(account)
		(*m)[place] = a
	}
	return a
}

// blockOf returns the block of the list with the given prefix that contains, or
// would contain, the item of key: the last one whose key is at most key, or
// else the first one. The zero block says that there is none.
func (p part) blockOf(prefix, key []byte) block.Sealed {
	first, record := p.floor(key)
	if first == nil || !bytes.HasPrefix(first, prefix) {
		first, record = p.bucket.Cursor().Seek(prefix)
	}
	if first == nil || !bytes.HasPrefix(first, prefix) {
		return block.Sealed{}
	}
	return block.Sealed{Key: first, Record: record}
}

// after returns the block of the list behind that with the given key, or the
// zero block.
func (p part) after(prefix, key []byte) block.Sealed {
	cursor := p.bucket.Cursor()
	cursor.Seek(key)
	next, record := cursor.Next()
	if next == nil || !bytes.HasPrefix(next, prefix) {
		return block.Sealed{}
	}
	return block.Sealed{Key: next, Record: record}
}

// put writes a sealed record.
func (p part) put(key, record []byte) error {
	if p.account != nil {
		if old := p.bucket.Get(key); old != nil {
			p.account.Remove(key, old)
		}
		p.account.Add(key, record)
	}
	return p.bucket.Put(key, record)
}

// delete removes a record, if there is one.
func (p part) delete(key []byte) error {
	if p.account != nil {
		if old := p.bucket.Get(key); old != nil {
			p.account.Remove(key, old)
		}
	}
	return p.bucket.Delete(key)
}

// floor returns the last record whose key is at most key: the block that holds
// it, or would.
func (p part) floor(key []byte) (first, record []byte) {
	cursor := p.bucket.Cursor()
	first, record = cursor.Seek(key)
	if first == nil {
		return cursor.Last()
	}
	if string(first) == string(key) {
		return first, record
	}
	first, record = cursor.Prev()
	if first != nil {
		return first, record
	}
	// Either this is the beginning, or a page from which this transaction has removed
	// everything; bbolt skips those only when it moves forwards.
	if lowest, _ := p.bucket.Cursor().First(); lowest == nil || string(lowest) > string(key) {
		return nil, nil
	}
	for first == nil {
		first, record = cursor.Prev()
	}
	return first, record
}
