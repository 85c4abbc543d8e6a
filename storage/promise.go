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

// A record has a checksum, which says nothing of records that are not there any more:
// a page that the disk has lost a write of holds what it held before, whole and with
// right checksums. So the file promises, for each of its buckets, the number and the
// sum of its records (page.Tally), and each promise is kept below another one, up to
// the meta page, over which bbolt has a checksum:
//
//	meta page      number of the transaction
//	header         number of the transaction that wrote it, tally of "sums"
//	sums / place   tally of the bucket
//
// The place is block.PlaceTop and the name of a top bucket, or block.PlacePart, the number of an
// object and the name of a part. A bucket without records has no promise. Every
// transaction writes the promises of the buckets that it changed.
//
// A walk over a bucket, which comes before its first use anyway, gives its tally. The
// promises are the feature "sums" of the header: a file without it gets them with the
// first commit, from the walk over the whole file that comes before.

// account is what a transaction adds to the tally of a bucket. nil keeps none.
type account = page.Tally

// accountOf returns the account of a bucket, nil where the file has no promises.
func (t *tx) accountOf(place string) *account {
	if !t.promises {
		return nil
	}
	if t.accounts == nil {
		t.accounts = make(map[string]*account)
	}
	a := t.accounts[place]
	if a == nil {
		a = new(account)
		t.accounts[place] = a
	}
	return a
}

// forget drops the promises of an object that goes.
func (t *tx) forget(object []byte) error {
	prefix := string(block.PlacePart) + string(object)
	for place := range t.accounts {
		if len(place) >= len(prefix) && place[:len(prefix)] == prefix {
			delete(t.accounts, place)
		}
	}
	sums := t.root.Bucket(block.SumsName)
	if sums == nil {
		return nil
	}
	var places []string
	cursor := sums.Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); bytes.HasPrefix(key, []byte(prefix)); key, _ = cursor.Next() {
		places = append(places, string(key))
	}
	for _, place := range places {
		if err := t.promise(sums, place, page.Tally{}); err != nil {
			return err
		}
	}
	return nil
}

// beginPromises gives promises to a file that has none, of which the tallies of all
// buckets are known.
func (t *tx) beginPromises(found *block.Tallies) error {
	sums, err := t.root.CreateBucketIfNotExists(block.SumsName)
	if err != nil {
		return err
	}
	t.header.Sums = page.Tally{}
	for _, place := range slices.Sorted(maps.Keys(found.Of)) {
		if err := t.promise(sums, place, found.Of[place]); err != nil {
			return err
		}
	}
	t.header.Features, t.promises = append(t.header.Features, block.FeatureSums), true
	return nil
}

// keepPromises writes the promises of all buckets that the transaction changed.
func (t *tx) keepPromises() error {
	if !t.promises {
		return nil
	}
	sums, err := t.root.CreateBucketIfNotExists(block.SumsName)
	if err != nil {
		return err
	}
	for _, place := range slices.Sorted(maps.Keys(t.accounts)) {
		change := *t.accounts[place]
		if change == (page.Tally{}) {
			continue
		}
		before, err := promised(sums, place)
		if err != nil {
			return err
		}
		if err := t.promise(sums, place, before.Plus(change)); err != nil {
			return err
		}
	}
	t.accounts = nil
	return nil
}

// promise writes one promise, and counts it in the header's.
func (t *tx) promise(sums *bolt.Bucket, place string, tally page.Tally) error {
	p := part{bucket: sums, account: &t.header.Sums}
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

// broken compares buckets that were walked over with what is promised of those whose
// places have a prefix: "" is all. A bucket in which a fault was found has no tally;
// known says which these are.
func (t *tx) broken(found *block.Tallies, prefix string, known func(path [][]byte) bool) ([]page.Fault, error) {
	if !slices.Contains(t.header.Features, block.FeatureSums) {
		return nil, nil
	}
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
	sums := t.root.Bucket(block.SumsName)
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

// checkRoot verifies the upper end of the chain of promises: that the header is the one
// that the transaction of the meta page wrote, and that the promises are those that
// the header promises.
func (t *tx) checkRoot(m page.Meta, sums page.Tally) error {
	if !slices.Contains(t.header.Features, block.FeatureSums) {
		return nil
	}
	// A list of free pages is written by other programs only, which have transactions of
	// their own.
	if t.header.TxID != 0 && t.header.TxID < m.TxID && m.Freelist == page.NoFreelist {
		return fmt.Errorf("the root is that of commit %d, and the last commit is number %d: a write was lost", t.header.TxID, m.TxID)
	}
	if sums != t.header.Sums {
		return errors.New("the sums of its buckets are not those that the last commit wrote")
	}
	return nil
}

// blockOf returns the block of the list with the given prefix that holds, or
// would hold, what key stands for: the last one whose key is at most key, or
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
	// It is the beginning, or a page from which this transaction has removed
	// everything: bbolt passes over those forwards only.
	if lowest, _ := p.bucket.Cursor().First(); lowest == nil || string(lowest) > string(key) {
		return nil, nil
	}
	for first == nil {
		first, record = cursor.Prev()
	}
	return first, record
}

// part is one bucket of an object, with the seed of its records' checksums.
type part struct {
	bucket  *bolt.Bucket
	seed    block.Seed
	account *account // what put and delete keep account in
}
