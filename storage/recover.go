package storage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// RecoverOptions say how to recover a damaged file.
type RecoverOptions struct {
	Overwrite bool // an existing file at the target may be replaced

	// LockTimeout is how long to wait for a writer; see Options.
	LockTimeout time.Duration

	// Progress, where not nil, gets the stages "reading" (bytes of records),
	// "checking" (objects) and "copying" (bytes of records).
	Progress func(stage string, done, total int64)
}

// RecoveredGraph is a graph of the new file.
type RecoveredGraph struct {
	Name     string
	Vertices int
	Edges    int64

	// Rebuilt graphs are those with damage. They were put together from what was
	// left, as a new graph of version 1. Where the catalogue entry was lost the
	// name is a made-up one, the attributes are lost, and Lost is unknown, -1.
	Rebuilt      bool
	LostVertices int64
	LostEdges    int64
}

// RecoveredEmbedding is an embedding of the new file.
type RecoveredEmbedding struct {
	Name     string
	Graph    string
	Vertices int
	Lost     int // rows whose vertices were lost
}

// RecoverReport says what a recovery found and what it did not find.
type RecoverReport struct {
	From, To   string
	Bytes      int64 // size of the new file
	Graphs     []RecoveredGraph
	Embeddings []RecoveredEmbedding
	Models     []string // by name
	Lost       []string // all damage that was met and what it costs, one line each; nil where nothing was lost
	Seconds    float64
}

// Recover copies what is sound out of the store at from, which may be damaged
// in any way, into a new file at to. It reads from with plain reads only, never
// writes to it, and needs no sound page to begin with: where the root is
// damaged it searches the whole file. Every record in the new file had a right
// checksum under its own key in the old one, so that it never holds a vertex, an
// edge or a value that the old one did not have; the only thing that can be
// older than it was is the state as a whole, where the newest root is lost, and
// Lost says so then.
//
// A graph of which nothing is damaged comes over as it is, with its embeddings
// and its change log. Of a damaged one, every edge is found that is left in one
// of its two directions and whose vertices have a key left in one of the two
// lists of keys; it becomes a new graph, with those of its embeddings that were
// made from its last version. An embedding with a damaged row is left out, as it
// can be computed again.
//
// The new file passes Check, belongs to its owner alone and gets its name when
// it is whole. It needs memory for the largest damaged graph: some 100 bytes per
// edge and 200 per vertex.
func Recover(ctx context.Context, from, to string, opts RecoverOptions) (RecoverReport, error) {
	if from == "" {
		return RecoverReport{}, fmt.Errorf("storage: recover: %w: the path is empty", ErrInvalid)
	}
	o := (&Options{ReadOnly: true, LockTimeout: opts.LockTimeout}).withDefaults()
	db := newDB(from, rootName, o) // for its messages
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return RecoverReport{}, fmt.Errorf("storage: recover: %w", err)
	case !info.Mode().IsRegular():
		return RecoverReport{}, notStore(from, "not a regular file")
	}
	lock, err := openLock(from, true)
	if err != nil {
		return RecoverReport{}, db.accessError(err)
	}
	defer lock.release()
	f, err := lock.shared(time.Now().Add(o.LockTimeout))
	if err != nil {
		return RecoverReport{}, db.openError(err)
	}
	defer f.Close()
	return recoverFile(ctx, f, from, to, opts)
}

// Recover is the function of this name for a store that is open; writers wait
// meanwhile. An attached store is ErrInvalid.
func (db *DB) Recover(ctx context.Context, to string, opts RecoverOptions) (RecoverReport, error) {
	if db.attached {
		return RecoverReport{}, fmt.Errorf("storage: recover %q: %w: the file belongs to the application", db.path, ErrInvalid)
	}
	select {
	case <-db.writer:
		defer func() { db.writer <- struct{}{} }()
	case <-ctx.Done():
		return RecoverReport{}, fmt.Errorf("storage: wait for another writer: %w", ctx.Err())
	}
	h, err := db.acquire()
	if err != nil {
		return RecoverReport{}, err
	}
	defer db.release(h)
	return recoverFile(ctx, h.file, db.path, to, opts)
}

// recoverFile recovers the store in f, which nobody writes to.
func recoverFile(ctx context.Context, f *os.File, from, to string, opts RecoverOptions) (RecoverReport, error) {
	started := time.Now()
	if err := checkNewFile(to, opts.Overwrite); err != nil {
		return RecoverReport{}, err
	}
	if err := notSameFile(to, from); err != nil {
		return RecoverReport{}, err
	}
	report := RecoverReport{From: from, To: to}
	if err := report.run(ctx, f, opts); err != nil {
		return RecoverReport{}, copyError("recover "+fmt.Sprintf("%q", from)+" to", to, err)
	}
	report.Seconds = time.Since(started).Seconds()
	return report, nil
}

// run salvages the records into a temporary file, makes a sound store of them,
// and gives it its name.
func (report *RecoverReport) run(ctx context.Context, f *os.File, opts RecoverOptions) error {
	w, err := newStoreWriter(ctx, report.To, "recover")
	if err != nil {
		return err
	}
	defer w.discard()
	progress := newReporter(opts.Progress)
	if info, err := f.Stat(); err == nil {
		w.onRecord = func() { progress.report("reading", w.bytes, info.Size()) }
	}
	var l losses
	s, err := openSalvage(ctx, report.From, f, w, &l)
	if err != nil {
		return err
	}
	if err := s.run(report.From); err != nil {
		return err
	}
	if err := w.finish(s.header); err != nil {
		return err
	}
	if err := report.mend(ctx, w.name, s, opts.Progress); err != nil {
		return err
	}
	report.Lost = append(l.list(), report.Lost...)
	info, err := os.Stat(w.name)
	if err != nil {
		return err
	}
	report.Bytes = info.Size()
	return w.moveTo(report.To, opts.Overwrite)
}

// mend opens the file of salvaged records, replaces what is incomplete in it by
// what can be made of it, and makes sure that the result is sound.
func (report *RecoverReport) mend(ctx context.Context, path string, s *salvage, progress func(string, int64, int64)) (err error) {
	db, err := Open(path, &Options{AllowNetworkFS: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.completeObjects(ctx); err != nil {
		return err
	}
	checked, err := db.Check(ctx, progress)
	if err != nil {
		return err
	}
	m := mender{db: db, report: report, faults: checked.Faults}
	for _, step := range []func(context.Context) error{m.graphs, func(ctx context.Context) error { return m.orphans(ctx, s.orphans) }, m.embeddings, m.models, m.changes, m.objects} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if checked, err = db.Check(ctx, progress); err != nil {
		return err
	}
	if !checked.OK() {
		fault := checked.Faults[0]
		return &FileError{Path: report.From, Object: fault.Where, Err: ErrCorrupt, Reason: "could not be mended: " + fault.What, Remedy: "restore the file from a backup"}
	}
	if canShareLock {
		if _, err := db.Compact(ctx, progress); err != nil {
			return err
		}
	}
	return nil
}

// mender makes a sound store of salvaged records.
type mender struct {
	db     *DB
	report *RecoverReport
	faults []Fault
	gone   map[string]bool // embeddings that went with their graphs
}

// faulty reports whether a check found a fault in the thing of this name, or in
// a part of it, the change log aside.
func (m *mender) faulty(where string) bool {
	for _, fault := range m.faults {
		part, within := strings.CutPrefix(fault.Where, where)
		if within && (part == "" || strings.HasPrefix(part, ", ")) && part != ", "+changeLogPart && !strings.HasPrefix(part, ", "+statePart) {
			return true
		}
	}
	return false
}

func (m *mender) lose(where, format string, args ...any) {
	m.report.Lost = append(m.report.Lost, where+": "+fmt.Sprintf(format, args...))
}

// completeObjects makes the parts that every object of the catalogue has.
func (db *DB) completeObjects(ctx context.Context) error {
	return db.mendIn(ctx, func(t *tx) error {
		parts := func(id uint64, names ...[]byte) error {
			if id == 0 {
				return nil
			}
			b, err := t.root.Bucket(objectsName).CreateBucketIfNotExists(be64(id))
			for _, name := range names {
				if err == nil {
					_, err = b.CreateBucketIfNotExists(name)
				}
			}
			return err
		}
		err := t.each(graphsName, func(key, record []byte) error {
			var r graphRecord
			if err := decodeStruct(seedOf(graphsName), key, record, &r); err != nil {
				return err
			}
			return parts(r.Object, graphParts[:]...)
		})
		if err != nil {
			return err
		}
		return t.each(embeddingsName, func(key, record []byte) error {
			var r embeddingRecord
			if err := decodeStruct(seedOf(embeddingsName), key, record, &r); err != nil {
				return err
			}
			return parts(r.Object, rowsName)
		})
	})
}

// mendIn runs f in a write transaction of its own.
func (db *DB) mendIn(ctx context.Context, f func(t *tx) error) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return db.update(ctx, f)
}

// graphs rebuilds the graphs with faults.
func (m *mender) graphs(ctx context.Context) error {
	m.gone = make(map[string]bool)
	var names []string
	err := m.db.view(ctx, func(t *tx) error {
		return t.each(graphsName, func(key, _ []byte) error {
			names = append(names, string(key))
			return nil
		})
	})
	for _, name := range names {
		if err != nil {
			break
		}
		if m.faulty(describeGraph(name)) {
			err = m.rebuild(ctx, name)
			continue
		}
		var info GraphInfo
		if info, err = m.db.Graph(ctx, name); err == nil {
			m.report.Graphs = append(m.report.Graphs, RecoveredGraph{Name: name, Vertices: info.Vertices, Edges: info.Edges})
		}
	}
	return err
}

// rebuild replaces a graph by what is left of it.
func (m *mender) rebuild(ctx context.Context, name string) error {
	var (
		left   *remains
		record graphRecord
	)
	err := m.db.view(ctx, func(t *tx) (err error) {
		if _, err := t.get(graphsName, []byte(name), &record); err != nil {
			return err
		}
		left, err = t.remainsOf(record.Object, &record)
		if err == nil {
			err = left.readEmbeddings(t, &record, m.faulty)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = m.db.mendIn(ctx, func(t *tx) error {
		for _, embedding := range left.names {
			m.gone[embedding] = true
			if err := t.dropEntry(embedding); err != nil {
				return err
			}
		}
		return errors.Join(t.dropChanges(record.ID, math.MaxUint64), t.discard(record.Object), t.remove(graphsName, []byte(name)))
	})
	if err != nil {
		return err
	}
	if err := checkName("graph", name); err != nil {
		m.lose(describeGraph(name), "its name is not one that a graph can have; it is left out")
		return nil
	}
	g := RecoveredGraph{Name: name, Rebuilt: true, Vertices: left.graph.Vertices(), Edges: left.graph.Edges()}
	g.LostVertices = max(0, int64(record.Vertices)-int64(g.Vertices))
	g.LostEdges = max(0, int64(record.Edges)-g.Edges)
	version, err := left.store(ctx, m.db, name, record.Source)
	if err != nil {
		return err
	}
	m.report.Graphs = append(m.report.Graphs, g)
	m.lose(describeGraph(name), "rebuilt with %d of %d vertices and %d of %d edges%s", g.Vertices, record.Vertices, g.Edges, record.Edges, left.attributesLost(&record))
	return m.restoreEmbeddings(ctx, name, version, left)
}

// restoreEmbeddings stores the embeddings that a rebuilt graph had.
func (m *mender) restoreEmbeddings(ctx context.Context, graph string, version uint64, left *remains) error {
	for _, e := range left.embeddings {
		if e.why != "" {
			m.lose(describeEmbedding(e.info.Name), "%s; compute it again", e.why)
			continue
		}
		lost := e.info.Vertices - e.rows.Rows
		e.info.Graph, e.info.GraphID, e.info.GraphVersion = graph, 0, version // the rebuilt graph has another number
		if _, err := m.db.PutEmbedding(ctx, e.info, e.rows); err != nil {
			return err
		}
		m.report.Embeddings = append(m.report.Embeddings, RecoveredEmbedding{Name: e.info.Name, Graph: graph, Vertices: e.rows.Rows, Lost: lost})
		if lost > 0 {
			m.lose(describeEmbedding(e.info.Name), "%d of %d rows belong to vertices that were lost", lost, lost+e.rows.Rows)
		}
	}
	return nil
}

// orphans makes graphs of the objects whose catalogue entries were lost.
func (m *mender) orphans(ctx context.Context, ids []uint64) error {
	for _, id := range ids {
		var left *remains
		err := m.db.view(ctx, func(t *tx) (err error) {
			left, err = t.remainsOf(id, nil)
			return err
		})
		if err != nil {
			return err
		}
		name := fmt.Sprintf("recovered_%d", id)
		for taken := true; taken; {
			_, err := m.db.Graph(ctx, name)
			if taken = !errors.Is(err, ErrNotFound); taken {
				name += "_"
			}
		}
		if _, err := left.store(ctx, m.db, name, "recovered"); err != nil {
			return err
		}
		if err := m.db.mendIn(ctx, func(t *tx) error { return t.discard(id) }); err != nil {
			return err
		}
		m.report.Graphs = append(m.report.Graphs, RecoveredGraph{Name: name, Rebuilt: true, Vertices: left.graph.Vertices(), Edges: left.graph.Edges(), LostVertices: -1, LostEdges: -1})
		m.lose(describeGraph(name), "holds %d vertices and %d edges of a graph whose catalogue entry was lost, with its name, its attributes and its embeddings", left.graph.Vertices(), left.graph.Edges())
	}
	return nil
}

// embeddings removes the embeddings with faults.
func (m *mender) embeddings(ctx context.Context) error {
	return m.db.mendIn(ctx, func(t *tx) error {
		var bad, stateless, past, orphans []string
		err := t.each(embeddingsName, func(key, record []byte) error {
			name := string(key)
			switch {
			case m.gone[name]:
			case m.faulty(describeEmbedding(name)):
				bad = append(bad, name)
			default:
				r, err := t.findEmbedding(name)
				if err != nil {
					return err
				}
				if r.Past {
					past = append(past, name)
					return nil
				}
				if m.faulty(describeEmbedding(name) + ", " + statePart) {
					stateless = append(stateless, name)
				}
				m.report.Embeddings = append(m.report.Embeddings, RecoveredEmbedding{Name: name, Graph: r.Graph, Vertices: int(r.Vertices)})
			}
			return nil
		})
		for _, name := range past {
			if base, _, _ := splitGeneration(name); slices.Contains(bad, base) || m.gone[base] {
				orphans = append(orphans, name)
			}
		}
		for _, name := range stateless {
			if err == nil {
				err = t.dropState(name)
			}
			m.lose(describeEmbedding(name)+", "+statePart, "is left out; the next refresh computes the embedding in full")
		}
		bad = append(bad, orphans...)
		for _, name := range bad {
			if err == nil {
				err = t.dropEntry(name)
			}
			m.lose(describeEmbedding(name), "is left out; compute it again")
		}
		return err
	})
}

// changes drops the logs that have faults, and entries of no graph.
func (m *mender) changes(ctx context.Context) error {
	return m.db.mendIn(ctx, func(t *tx) error {
		whole := make(map[uint64]bool)
		err := t.each(graphsName, func(key, _ []byte) error {
			r, err := t.findGraph(string(key))
			if err != nil {
				return err
			}
			where := describeGraph(string(key)) + ", " + changeLogPart
			for _, fault := range m.faults {
				if fault.Where == where {
					m.lose(where, "is dropped; embeddings are computed in full once")
					return nil
				}
			}
			whole[r.ID] = true
			return nil
		})
		if err != nil {
			return err
		}
		var stray [][]byte
		err = t.each(changesName, func(key, _ []byte) error {
			if len(key) != changesKeySize || !whole[bytesToID(key)] {
				stray = append(stray, append([]byte(nil), key...))
			}
			return nil
		})
		for _, key := range stray {
			err = errors.Join(err, t.remove(changesName, key))
		}
		return err
	})
}

// objects removes what belongs to nothing.
func (m *mender) objects(ctx context.Context) error {
	err := m.db.mendIn(ctx, func(t *tx) error {
		used := make(map[uint64]bool)
		err := t.each(graphsName, func(key, _ []byte) error {
			r, err := t.findGraph(string(key))
			if err == nil {
				used[r.Object] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		err = t.each(embeddingsName, func(key, _ []byte) error {
			r, err := t.findEmbedding(string(key))
			if err == nil {
				used[r.Object], used[r.State.Object] = true, true
			}
			return err
		})
		if err != nil {
			return err
		}
		err = t.each(modelsName, func(key, _ []byte) error {
			r, err := t.findModel(string(key))
			if err == nil {
				used[r.Stream.Object] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		return t.each(objectsName, func(key, _ []byte) error {
			if used[bytesToID(key)] {
				return nil
			}
			return t.discard(bytesToID(key))
		})
	})
	if err == nil {
		m.db.sweep(ctx)
	}
	return err
}
