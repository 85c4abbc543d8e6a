package tree

import (
	"bytes"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// Part is one bucket of an object, with the seed of its records' checksums.
type Part struct {
	Bucket  *bolt.Bucket
	Seed    block.Seed
	Account *account // put and delete count their changes in it
}

// account is what a transaction adds to the tally of a bucket; nil if it is not
// counted.
type account = page.Tally

// Accounts are the accounts of buckets by their places; the zero value has none.
type Accounts map[string]*account

// Of returns the account of a bucket, which it makes if there is none.
func (m *Accounts) Of(place string) *account {
	if *m == nil {
		*m = make(Accounts)
	}
	a := (*m)[place]
	if a == nil {
		a = new(account)
		(*m)[place] = a
	}
	return a
}

// BlockOf returns the block of the list with the given prefix that contains, or
// would contain, the item of key: the last one whose key is at most key, or
// else the first one. The zero block says that there is none.
func (p Part) BlockOf(prefix, key []byte) block.Sealed {
	first, record := p.Floor(key)
	if first == nil || !bytes.HasPrefix(first, prefix) {
		first, record = p.Bucket.Cursor().Seek(prefix)
	}
	if first == nil || !bytes.HasPrefix(first, prefix) {
		return block.Sealed{}
	}
	return block.Sealed{Key: first, Record: record}
}

// After returns the block of the list behind that with the given key, or the
// zero block.
func (p Part) After(prefix, key []byte) block.Sealed {
	cursor := p.Bucket.Cursor()
	cursor.Seek(key)
	next, record := cursor.Next()
	if next == nil || !bytes.HasPrefix(next, prefix) {
		return block.Sealed{}
	}
	return block.Sealed{Key: next, Record: record}
}

// Put writes a sealed record.
func (p Part) Put(key, record []byte) error {
	if p.Account != nil {
		if old := p.Bucket.Get(key); old != nil {
			p.Account.Remove(key, old)
		}
		p.Account.Add(key, record)
	}
	return p.Bucket.Put(key, record)
}

// Delete removes a record, if there is one.
func (p Part) Delete(key []byte) error {
	if p.Account != nil {
		if old := p.Bucket.Get(key); old != nil {
			p.Account.Remove(key, old)
		}
	}
	return p.Bucket.Delete(key)
}

// Floor returns the last record whose key is at most key: the block that holds
// it, or would.
func (p Part) Floor(key []byte) (first, record []byte) {
	cursor := p.Bucket.Cursor()
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
	if lowest, _ := p.Bucket.Cursor().First(); lowest == nil || string(lowest) > string(key) {
		return nil, nil
	}
	for first == nil {
		first, record = cursor.Prev()
	}
	return first, record
}
