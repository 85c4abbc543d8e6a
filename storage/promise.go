package storage

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
)

// The checksum of a record cannot show that other records are lost: if the disk loses
// the write of a page, the page keeps its old content, with right checksums. So the
// file stores, for each of its buckets, a promise: the number and the sum of its
// records (page.Tally). Each promise is covered by another one, up to the meta page,
// whose checksum bbolt verifies:
//
//	meta page      number of the transaction
//	header         number of the transaction that wrote it, tally of "sums"
//	sums / place   tally of the bucket
//
// The place is block.PlaceTop and the name of a top bucket, or block.PlacePart, the number of an
// object and the name of a part. A bucket without records has no promise. Every
// transaction writes the promises of the buckets that it changed.
//
// The walk over a bucket that verifies it before its first use also computes its tally.

// ledger is the promises that a transaction reads and writes, with the bucket and the
// header that hold them.
type ledger struct {
	root     *bolt.Bucket
	header   block.Header
	accounts accounts // what the transaction changed
}

// accountOf returns the account of a bucket.
func (l *ledger) accountOf(place string) *account {
	return l.accounts.of(place)
}

// forget drops the promises of an object that is removed.
func (l *ledger) forget(object []byte) error {
	prefix := string(block.PlacePart) + string(object)
	for place := range l.accounts {
		if len(place) >= len(prefix) && place[:len(prefix)] == prefix {
			delete(l.accounts, place)
		}
	}
	sums := l.root.Bucket(block.SumsName)
	if sums == nil {
		return nil
	}
	var places []string
	cursor := sums.Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); bytes.HasPrefix(key, []byte(prefix)); key, _ = cursor.Next() {
		places = append(places, string(key))
	}
	for _, place := range places {
		if err := l.promise(sums, place, page.Tally{}); err != nil {
			return err
		}
	}
	return nil
}

// keepPromises writes the promises of all buckets that the transaction changed.
func (l *ledger) keepPromises() error {
	sums, err := l.root.CreateBucketIfNotExists(block.SumsName)
	if err != nil {
		return err
	}
	for _, place := range slices.Sorted(maps.Keys(l.accounts)) {
		change := *l.accounts[place]
		if change == (page.Tally{}) {
			continue
		}
		before, err := promised(sums, place)
		if err != nil {
			return err
		}
		if err := l.promise(sums, place, before.Plus(change)); err != nil {
			return err
		}
	}
	l.accounts = nil
	return nil
}

// promise writes one promise, and updates the tally of promises in the header.
func (l *ledger) promise(sums *bolt.Bucket, place string, tally page.Tally) error {
	p := part{bucket: sums, account: &l.header.Sums}
	if tally == (page.Tally{}) {
		return p.delete([]byte(place))
	}
	return p.put([]byte(place), block.EncodePromise(place, tally))
}

// promised reads one promise.
func promised(sums *bolt.Bucket, place string) (page.Tally, error) {
	if sums == nil {
		return page.Tally{}, nil
	}
	record := sums.Get([]byte(place))
	if record == nil {
		return page.Tally{}, nil
	}
	return block.DecodePromise([]byte(place), record)
}

// broken compares the tallies of buckets with their promises, for the places that begin
// with a prefix, and returns the differences. It skips buckets for which known is true:
// a bucket in which a fault was found has no tally.
func (l *ledger) broken(found *block.Tallies, prefix string, known func(path [][]byte) bool) ([]page.Fault, error) {
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
	sums := l.root.Bucket(block.SumsName)
	seen := make(map[string]bool)
	if sums != nil {
		cursor := sums.Cursor()
		for key, record := cursor.Seek([]byte(prefix)); key != nil && bytes.HasPrefix(key, []byte(prefix)); key, record = cursor.Next() {
			want, err := block.DecodePromise(key, record)
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

// checkRoot verifies the top of the chain of promises: the header was written by the
// transaction of the meta page, and the tally of the promises is the one in the header.
func (l *ledger) checkRoot(m page.Meta, sums page.Tally) error {
	// Only other programs write a list of free pages; their transactions do not change
	// the header.
	if l.header.TxID != 0 && l.header.TxID < m.TxID && m.Freelist == page.NoFreelist {
		return fmt.Errorf("the root is that of commit %d, and the last commit is number %d: a write was lost", l.header.TxID, m.TxID)
	}
	if sums != l.header.Sums {
		return errors.New("the sums of its buckets are not those that the last commit wrote")
	}
	return nil
}
