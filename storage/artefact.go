package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// An artefact is an index, a model, predictions or a job: something derived from a
// graph and stored next to it. Each has a record (msgpack) in the top bucket of its
// kind, which is made when the first is stored. Most refer to an object: a stream of
// bytes, or the links of predictions. One transaction writes the record and its object,
// and one removes both.
//
// artefact[R] describes a kind whose records have the type R. Its methods are common
// to all kinds: find, valid, publish, drop, and the parts of CHECK, COMPACT,
// RECOVER and STATS, which iterate over kinds.
type artefact[R any] struct {
	bucket    []byte // top bucket
	name      string // of the kind, for NotFoundError
	shortest  int    // bytes of a key
	longest   int
	remedy    string                  // remedy for a damaged artefact
	statement func(key []byte) string // statement of the language that drops it; if nil, dropping returns remedy

	// describe names the artefact in words, for errors, and content names its object;
	// if content is nil, describe does. t may be nil; then a name that only a
	// transaction knows is left out.
	describe func(t *tree.Tx, key []byte) string
	content  func(t *tree.Tx, key []byte) string
	called   func(key []byte) string // the name in a NotFoundError

	validate func(r *R, size int64) error // returns an error for counts that are impossible in a file of size bytes
	stream   func(r *R) *tree.BlobRecord  // stream of the record; nil for kinds without a stream
	object   func(r *R) uint64            // object that r refers to, 0 for none; if nil, the object of the stream

	verify  func(c *verify.Checker, where string, key []byte, r *R) error // checks in addition to record and stream; may be nil
	measure func(out *Stats, t *tree.Tx, key []byte, r *R, bytes int64)   // enters the bytes of the object into Stats
	leave   func(key []byte, r *R) (where, what string)                   // what is lost because RECOVER does not copy it, "" for nothing; if nil, RECOVER copies it
}

func (a *artefact[R]) top() []byte { return a.bucket }

// refersTo is the object of a record, 0 for none.
func (a *artefact[R]) refersTo(r *R) uint64 {
	if a.object != nil {
		return a.object(r)
	}
	return a.stream(r).Object
}

// contentOf names the object of an artefact in words.
func (a *artefact[R]) contentOf(t *tree.Tx, key []byte) string {
	if a.content != nil {
		return a.content(t, key)
	}
	return a.describe(t, key)
}

// dropping is the remedy for a damaged artefact: how to drop it.
func (a *artefact[R]) dropping(key []byte) string {
	if a.statement != nil && a.checkKey(key) == nil {
		return a.statement(key)
	}
	return a.remedy
}

func (a *artefact[R]) checkKey(key []byte) error {
	if len(key) < a.shortest || len(key) > a.longest {
		return fault.Record("key of %d bytes", len(key))
	}
	return nil
}

func (a *artefact[R]) find(t *tree.Tx, key []byte) (*R, error) {
	r := new(R)
	found, err := t.Get(a.bucket, key, r)
	if err == nil && found {
		err = a.validate(r, graphs.Bound(t))
	}
	if err != nil {
		return nil, fault.Corrupt(t.Path, a.describe(t, key), err)
	}
	if !found {
		return nil, &NotFoundError{Kind: a.name, Name: a.called(key)}
	}
	return r, nil
}

// valid calls f with every record that is valid and whose key begins with a prefix, by
// key. damaged has an error for each of the others: a damaged record must not hide the
// sound ones.
func (a *artefact[R]) valid(t *tree.Tx, prefix []byte, f func(key []byte, r *R)) (damaged, err error) {
	keys, err := a.keys(t, prefix)
	if err != nil {
		return nil, err
	}
	var list []error
	for _, key := range keys {
		if t.Ctx.Err() != nil {
			return nil, t.Ctx.Err()
		}
		r, err := a.listedRecord(t, key)
		if err != nil {
			list = append(list, err)
			continue
		}
		f(key, r)
	}
	return fault.Partial(list...), nil
}

// listedRecord is find for a key that was just read from the bucket.
func (a *artefact[R]) listedRecord(t *tree.Tx, key []byte) (*R, error) {
	if err := a.checkKey(key); err != nil {
		return nil, fault.Corrupt(t.Path, string(a.bucket), err)
	}
	r, err := a.find(t, key)
	return r, fault.Corrupt(t.Path, a.describe(t, key), verify.Damage(err))
}

func (a *artefact[R]) keys(t *tree.Tx, prefix []byte) ([][]byte, error) {
	b, err := t.Top(a.bucket)
	if err != nil || b == nil {
		return nil, err
	}
	var keys [][]byte
	cursor := b.Cursor()
	for key, _ := cursor.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	return keys, nil
}

// put writes a record.
func (a *artefact[R]) put(t *tree.Tx, key []byte, r *R) error { return t.Put(a.bucket, key, r) }

// publish writes the record together with the bytes written to its stream.
func (a *artefact[R]) publish(t *tree.Tx, key []byte, r *R, w *tree.BlobWriter) (err error) {
	if *a.stream(r), err = w.Publish(t); err != nil {
		return err
	}
	return a.put(t, key, r)
}

// drop removes the record under a key, if there is one, and its object. If the record
// is damaged, its object stays until the next compaction.
func (a *artefact[R]) drop(t *tree.Tx, key []byte) error {
	r, err := a.find(t, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err == nil:
		err = t.Discard(a.refersTo(r))
	case errors.Is(err, ErrCorrupt):
		err = nil
	}
	if err != nil {
		return err
	}
	return t.Remove(a.bucket, key)
}

// dropAll removes those whose keys begin with a prefix.
func (a *artefact[R]) dropAll(t *tree.Tx, prefix []byte) error {
	keys, err := a.keys(t, prefix)
	for _, key := range keys {
		if err == nil {
			err = a.drop(t, key)
		}
	}
	return err
}

// writeStream writes the stream of an artefact. The caller must call abandon in any
// case. The caller must not hold the writer's lock.
func (db *DB) writeStream(ctx context.Context, where string, write func(w io.Writer) error) (*tree.BlobWriter, error) {
	w := tree.NewBlobWriter(ctx, db.file, where)
	if err := write(w); err != nil {
		w.Abandon(ctx)
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return w, nil
}

// open returns a reader of the stream of a record.
func (a *artefact[R]) open(t *tree.Tx, db *DB, key []byte, r *R) (io.Reader, error) {
	return tree.OpenBlob(t, db.file, a.contentOf(t, key), *a.stream(r))
}

// listed calls info for every sound record, by key, and returns the results. A
// PartialError names the damaged records.
func listed[R, I any](ctx context.Context, db *DB, a *artefact[R], info func(t *tree.Tx, key []byte, r *R) (I, bool)) ([]I, error) {
	var list []I
	var damaged error
	err := db.file.View(ctx, func(t *tree.Tx) (err error) {
		list = nil
		damaged, err = a.valid(t, nil, func(key []byte, r *R) {
			if x, ok := info(t, key, r); ok {
				list = append(list, x)
			}
		})
		return err
	})
	return list, cmp.Or(err, damaged)
}

// Check implements verify.Kind: it verifies the artefacts and what they refer to.
func (a *artefact[R]) Check(c *verify.Checker) error {
	return c.TryEach(string(a.bucket), fault.RemedyRestore, a.bucket, func(key, _ []byte) error {
		c.Report.Records++
		defer c.Step()
		if err := a.checkKey(key); err != nil {
			c.Fault(string(a.bucket), fault.Reason(err), fault.RemedyRestore)
			return nil
		}
		where := a.describe(c.Tx, key)
		return c.Try(where, a.remedy, func() error { return a.checkOne(c, where, key) })
	})
}

func (a *artefact[R]) checkOne(c *verify.Checker, where string, key []byte) error {
	r, err := a.find(c.Tx, key)
	if err == nil && a.verify != nil {
		err = a.verify(c, where, key, r)
	}
	if err != nil || a.stream == nil {
		return verify.Damage(err)
	}
	return c.CheckBlob(a.contentOf(c.Tx, key), a.remedy, *a.stream(r))
}

// copyTo copies the records, and calls refer for their objects.
func (a *artefact[R]) copyTo(t *tree.Tx, w *storeWriter, refer func(object uint64, where string)) error {
	if b, err := t.Top(a.bucket); err != nil || b == nil {
		return fault.Corrupt(t.Path, string(a.bucket), err)
	}
	if err := w.Into(a.bucket); err != nil {
		return err
	}
	return t.Each(a.bucket, func(key, record []byte) error {
		r, err := a.listedRecord(t, key)
		if err != nil {
			var damaged *FileError
			if errors.As(err, &damaged) {
				damaged.Remedy = a.dropping(key) + ", then copy again"
			}
			return err
		}
		refer(a.refersTo(r), a.contentOf(t, key))
		return w.Put(key, record)
	})
}

// own records the owners of the objects.
func (a *artefact[R]) own(t *tree.Tx, o tree.Owners) error {
	_, err := a.valid(t, nil, func(key []byte, r *R) { o.Add(a.refersTo(r), a.contentOf(t, key)) })
	return err
}

// count enters the bytes of the objects into Stats.
func (a *artefact[R]) count(t *tree.Tx, s sizes, out *Stats) (damaged, err error) {
	return a.valid(t, nil, func(key []byte, r *R) { a.measure(out, t, key, r, s.object(a.refersTo(r))) })
}

// table describes for a recovery how to read the records, and whether they are
// copied or left out with their objects.
func (a *artefact[R]) table() rescue.Table {
	return rescue.Table{Bucket: a.bucket, Take: a.leave == nil, Quiet: a.leave != nil, Read: func(key, record []byte) (rescue.Entry, error) {
		var r R
		err := block.DecodeStruct(a.bucket, key, record, &r)
		if err == nil {
			err = a.checkKey(key)
		}
		where := a.describe(nil, key)
		if err != nil {
			return rescue.Entry{Where: where + ", catalogue entry"}, err
		}
		e := rescue.Entry{Where: where, Objects: []rescue.Reference{{Object: a.refersTo(&r), Where: where}}}
		if a.leave != nil {
			e.Where, e.Lost = a.leave(key, &r)
		}
		return e, nil
	}}
}

// owner is a kind of records, other than graphs and embeddings, to which objects belong.
type owner interface {
	own(t *tree.Tx, o tree.Owners) error // notes what the objects of its records belong to
}
