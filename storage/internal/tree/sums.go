package tree

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// Ledger is the sums that a transaction reads and writes, with the bucket and the
// header that hold them.
type Ledger struct {
	Root     *bolt.Bucket
	Header   block.Header
	accounts Accounts // what the transaction changed
}

// AccountOf returns the account of a bucket.
func (l *Ledger) AccountOf(place string) *account {
	return l.accounts.Of(place)
}

// forget drops the sums of an object that is removed.
func (l *Ledger) forget(object []byte) error {
	prefix := string(block.PlacePart) + string(object)
	for place := range l.accounts {
		if len(place) >= len(prefix) && place[:len(prefix)] == prefix {
			delete(l.accounts, place)
		}
	}
	sums := l.Root.Bucket(block.SumsName)
	if sums == nil {
		return nil
	}
	var places []string
	cursor := sums.Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); bytes.HasPrefix(key, []byte(prefix)); key, _ = cursor.Next() {
		places = append(places, string(key))
	}
	for _, place := range places {
		if err := l.PutSum(sums, place, page.Tally{}); err != nil {
			return err
		}
	}
	return nil
}

// writeSums writes the sums of all buckets that the transaction changed.
func (l *Ledger) writeSums() error {
	sums, err := l.Root.CreateBucketIfNotExists(block.SumsName)
	if err != nil {
		return err
	}
	for _, place := range slices.Sorted(maps.Keys(l.accounts)) {
		change := *l.accounts[place]
		if change == (page.Tally{}) {
			continue
		}
		before, err := storedSum(sums, place)
		if err != nil {
			return err
		}
		if err := l.PutSum(sums, place, before.Plus(change)); err != nil {
			return err
		}
	}
	l.accounts = nil
	return nil
}

// PutSum writes one sum, and updates the tally of sums in the header.
func (l *Ledger) PutSum(sums *bolt.Bucket, place string, tally page.Tally) error {
	p := Part{Bucket: sums, Account: &l.Header.Sums}
	if tally == (page.Tally{}) {
		return p.Delete([]byte(place))
	}
	return p.Put([]byte(place), block.EncodeSum(place, tally))
}

// storedSum reads one sum.
func storedSum(sums *bolt.Bucket, place string) (page.Tally, error) {
	if sums == nil {
		return page.Tally{}, nil
	}
	record := sums.Get([]byte(place))
	if record == nil {
		return page.Tally{}, nil
	}
	return block.DecodeSum([]byte(place), record)
}

// Broken compares the tallies of buckets with their stated sums, for the places that begin
// with a prefix, and returns the differences. It skips buckets for which known is true:
// a bucket in which a fault was found has no tally.
func (l *Ledger) Broken(found *block.Tallies, prefix string, known func(path [][]byte) bool) ([]page.Fault, error) {
	var faults []page.Fault
	compare := func(place string, want page.Tally) {
		path := block.PathOf(place)
		got := found.Of[place]
		if got == want || known(path) {
			return
		}
		what := fmt.Sprintf("%d records where %d were written", got.Count, want.Count)
		if got.Count == want.Count {
			what = "holds records of another state than the last commit left"
		}
		faults = append(faults, page.Fault{Path: path, What: what})
	}
	sums := l.Root.Bucket(block.SumsName)
	seen := make(map[string]bool)
	if sums != nil {
		cursor := sums.Cursor()
		for key, record := cursor.Seek([]byte(prefix)); key != nil && bytes.HasPrefix(key, []byte(prefix)); key, record = cursor.Next() {
			want, err := block.DecodeSum(key, record)
			if err != nil {
				return nil, err
			}
			seen[string(key)] = true
			compare(string(key), want)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(found.Of)) {
		if !seen[place] && len(place) >= len(prefix) && place[:len(prefix)] == prefix {
			compare(place, page.Tally{})
		}
	}
	return faults, nil
}

// CheckRoot verifies the top of the chain of sums: the header was written by the
// transaction of the meta page, and the tally of the sums is the one in the header.
func (l *Ledger) CheckRoot(m page.Meta, sums page.Tally) error {
	// Only other programs write a list of free pages; their transactions do not change
	// the header.
	if l.Header.TxID != 0 && l.Header.TxID < m.TxID && m.Freelist == page.NoFreelist {
		return fmt.Errorf("the root is that of commit %d, and the last commit is number %d: a write was lost", l.Header.TxID, m.TxID)
	}
	if sums != l.Header.Sums {
		return errors.New("the sums of its buckets are not those that the last commit wrote")
	}
	return nil
}
