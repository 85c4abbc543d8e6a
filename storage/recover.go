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

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
)

// RecoverOptions are the options of a recovery.
type RecoverOptions struct {
	Overwrite bool // an existing file at the target may be replaced

	// LockTimeout is how long to wait for a writer; see Options.
	LockTimeout time.Duration

	// Progress, if not nil, is called for the stages "reading" (bytes of records),
	// "checking" (objects) and "copying" (bytes of records).
	Progress func(stage string, done, total int64)
}

// RecoveredGraph is a graph of the new file.
type RecoveredGraph struct {
	Name     string `json:"name"`
	Vertices int    `json:"vertices"`
	Edges    int64  `json:"edges"` // see GraphInfo.Count

	// Rebuilt graphs are those with damage. They were rebuilt from their remains, as a
	// new graph of version 1. If the catalogue entry was lost, the name is invented,
	// the attributes are lost, and Lost is -1, unknown.
	Rebuilt      bool  `json:"rebuilt"`
	LostVertices int64 `json:"lost_vertices"`
	LostEdges    int64 `json:"lost_edges"`
}

// RecoveredEmbedding is an embedding of the new file.
type RecoveredEmbedding struct {
	Name     string `json:"name"`
	Graph    string `json:"graph"`
	Vertices int    `json:"vertices"`
	Lost     int    `json:"lost"` // rows whose vertices were lost
}

// RecoverReport lists what a recovery found and what it did not find.
type RecoverReport struct {
	From       string               `json:"from"`
	To         string               `json:"to"`
	Bytes      int64                `json:"bytes"` // size of the new file
	Graphs     []RecoveredGraph     `json:"graphs"`
	Embeddings []RecoveredEmbedding `json:"embeddings"`
	Models     []string             `json:"models"` // by name
	Lost       []string             `json:"lost"`   // all damage that was found and what is lost by it, one line each; nil if nothing was lost
	Seconds    float64              `json:"seconds"`
}

// Recover copies what is sound out of the store at the path from, which may be damaged
// in any way, into a new file at the path to. It uses plain reads only, never writes to
// the old file, and needs no sound page to start with: if the root is damaged, it
// searches the whole file. Every record in the new file had a right checksum under its
// own key in the old one, so the new file never holds a vertex, an edge or a value that
// the old one did not have. If the newest root is lost, the state as a whole can be an
// older one, and Lost says so.
//
// A graph without damage is copied with its embeddings and its change log. A damaged
// graph becomes a new graph. It has every edge of which one of the two directions is
// left, if the keys of both ends are left in one of the two lists of keys, and it keeps
// the embeddings that were made from its last version. An embedding with a damaged row
// is left out, because it can be computed again.
//
// The new file passes Check, is readable for its owner only and gets its name when it
// is complete. It needs memory for the largest damaged graph: some 100 bytes per edge
// and 200 per vertex.
func Recover(ctx context.Context, from, to string, opts RecoverOptions) (RecoverReport, error) {
	if from == "" {
		return RecoverReport{}, fmt.Errorf("recover: %w: the path is empty", ErrInvalid)
	}
	o := (&Options{ReadOnly: true, LockTimeout: opts.LockTimeout}).withDefaults()
	db := tree.NewStore(from, block.RootName, o.settings(), allOwners) // for its messages
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return RecoverReport{}, fmt.Errorf("recover: %w", err)
	case !info.Mode().IsRegular():
		return RecoverReport{}, fault.NotStore(from, "not a regular file")
	}
	lock, err := file.OpenLock(from, true)
	if err != nil {
		return RecoverReport{}, db.AccessError(err)
	}
	defer lock.Release()
	f, err := lock.Shared(time.Now().Add(o.LockTimeout))
	if err != nil {
		return RecoverReport{}, db.OpenError(err)
	}
	defer f.Close()
	return recoverFile(ctx, f, from, to, opts)
}

// Recover is the function Recover for an open store; writers wait meanwhile. An
// attached store is ErrInvalid.
func (db *DB) Recover(ctx context.Context, to string, opts RecoverOptions) (RecoverReport, error) {
	if db.file.Attached {
		return RecoverReport{}, fmt.Errorf("recover %q: %w: the file belongs to the application", db.file.Path, ErrInvalid)
	}
	ctx = tree.OrBackground(ctx)
	select {
	case <-db.file.Writer:
		defer func() { db.file.Writer <- struct{}{} }()
	case <-ctx.Done():
		return RecoverReport{}, fmt.Errorf("wait for another writer: %w", ctx.Err())
	}
	h, err := db.file.Acquire(ctx)
	if err != nil {
		return RecoverReport{}, err
	}
	defer db.file.Release(h)
	return recoverFile(ctx, h.File, db.file.Path, to, opts)
}

// recoverFile recovers the store in f, which nobody writes to.
func recoverFile(ctx context.Context, f *os.File, from, to string, opts RecoverOptions) (RecoverReport, error) {
	ctx, started := tree.OrBackground(ctx), time.Now()
	if err := checkNewFile(to, opts.Overwrite); err != nil {
		return RecoverReport{}, err
	}
	if err := notSameFile(to, from); err != nil {
		return RecoverReport{}, err
	}
	report := RecoverReport{From: from, To: to}
	if err := report.run(ctx, f, opts); err != nil {
		return RecoverReport{}, copyError("recover "+fmt.Sprintf("%q", from)+" to", to, unfinished(to, err))
	}
	report.Seconds = time.Since(started).Seconds()
	return report, nil
}

// run salvages the records into a temporary file, makes a sound store of them,
// and gives it its name.
func (report *RecoverReport) run(ctx context.Context, f *os.File, opts RecoverOptions) error {
	tree.RemoveLeftovers(report.To, tree.KindBackup, tree.KindRecover)
	w, err := newStoreWriter(ctx, report.To, tree.KindRecover)
	if err != nil {
		return err
	}
	defer w.discard()
	progress := newReporter(opts.Progress)
	if info, err := f.Stat(); err == nil {
		w.onRecord = func() { progress.report("reading", w.bytes, info.Size()) }
	}
	var l rescue.Losses
	s, err := rescue.Open(ctx, report.From, f, w, &l)
	if err != nil {
		return err
	}
	if err := s.Run(tables()); err != nil {
		return tree.HeaderError(report.From, err)
	}
	if err := w.finish(s.Header); err != nil {
		return err
	}
	if err := report.repair(ctx, w.name, s, opts.Progress); err != nil {
		return err
	}
	report.Lost = append(l.List(), report.Lost...)
	info, err := os.Stat(w.name)
	if err != nil {
		return err
	}
	report.Bytes = info.Size()
	return w.moveTo(report.To, opts.Overwrite)
}

// tables are the tables of the catalogue, as a recovery reads them. The journal is read
// too, but not copied: its half-written objects are left out, and could otherwise look
// like graphs.
func tables() []rescue.Table {
	list := []rescue.Table{
		{Bucket: block.JournalName, Needed: true, Read: readJournal},
		{Bucket: block.GraphsName, Needed: true, Take: true, Read: readGraph},
		{Bucket: block.EmbeddingsName, Needed: true, Take: true, Read: readEmbedding},
	}
	for _, k := range kinds() {
		list = append(list, k.table())
	}
	return list
}

func readJournal(key, record []byte) (rescue.Entry, error) {
	var j tree.JournalRecord
	if err := block.DecodeStruct(block.JournalName, key, record, &j); err != nil {
		return rescue.Entry{Where: "journal"}, err
	}
	e := rescue.Entry{Objects: []rescue.Reference{{Object: j.Object}}}
	if key[0] == tree.JournalGraph {
		e.Where, e.Lost = fmt.Sprintf("unfinished import into %q", key[1:]), "is not carried over; import again"
	}
	return e, nil
}

func readGraph(key, record []byte) (rescue.Entry, error) {
	var r graphs.Record
	where := graphs.DescribeGraph(fault.Clip(string(key)))
	if err := block.DecodeStruct(block.GraphsName, key, record, &r); err != nil {
		return rescue.Entry{Where: where + ", catalogue entry"}, err
	}
	return rescue.Entry{Where: where, NextID: r.ID + 1, Objects: []rescue.Reference{{Object: r.Object, Where: where}}}, nil
}

func readEmbedding(key, record []byte) (rescue.Entry, error) {
	var r embeddingRecord
	where := describeEmbedding(fault.Clip(string(key)))
	if err := block.DecodeStruct(block.EmbeddingsName, key, record, &r); err != nil {
		return rescue.Entry{Where: where + ", catalogue entry"}, err
	}
	return rescue.Entry{Where: where, Objects: []rescue.Reference{{Object: r.Object, Where: where}, {Object: r.State.Object, Where: where + ", " + statePart}}}, nil
}

// repair opens the file of salvaged records, rebuilds or removes what is incomplete, and
// makes sure that the result is sound.
func (report *RecoverReport) repair(ctx context.Context, path string, s *rescue.Salvage, progress func(string, int64, int64)) (err error) {
	db, err := Open(path, &Options{AllowNetworkFS: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.completeObjects(ctx); err != nil {
		return err
	}
	if report.Lost, err = db.dropShared(ctx); err != nil {
		return err
	}
	checked, err := db.Check(ctx, progress)
	if err != nil {
		return err
	}
	m := mender{db: db, report: report, faults: checked.Faults}
	for _, step := range []func(context.Context) error{m.graphs, func(ctx context.Context) error { return m.orphans(ctx, s.Orphans) }, m.embeddings, m.models, m.changes, m.objects} {
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
	if file.CanShareLock {
		if _, err := db.Compact(ctx, progress); err != nil {
			return err
		}
	}
	return nil
}

// mender turns a file of salvaged records into a sound store.
type mender struct {
	db     *DB
	report *RecoverReport
	faults []Fault
	gone   map[string]bool // embeddings that were removed with their graphs
}

// faulty reports whether a check found a fault in the object of this name or a part of
// it, except in the change log.
func (m *mender) faulty(where string) bool {
	for _, fault := range m.faults {
		part, within := strings.CutPrefix(fault.Where, where)
		if within && (part == "" || strings.HasPrefix(part, ", ")) && part != ", "+graphs.ChangeLogPart && !strings.HasPrefix(part, ", "+statePart) {
			return true
		}
	}
	return false
}

func (m *mender) lose(where, format string, args ...any) {
	m.report.Lost = append(m.report.Lost, where+": "+fmt.Sprintf(format, args...))
}

// completeObjects makes the missing parts of objects in the catalogue.
func (db *DB) completeObjects(ctx context.Context) error {
	return db.file.InTransaction(ctx, func(t *tree.Tx) error {
		parts := func(id uint64, names ...[]byte) error {
			if id == 0 {
				return nil
			}
			objects := t.Root.Bucket(block.ObjectsName)
			if a := t.AccountOf(block.TopPlace(block.ObjectsName)); a != nil && objects.Bucket(block.Key64(id)) == nil {
				a.AddBucket(block.Key64(id))
			}
			b, err := objects.CreateBucketIfNotExists(block.Key64(id))
			for _, name := range names {
				if err == nil {
					_, err = b.CreateBucketIfNotExists(name)
				}
			}
			return err
		}
		err := t.Each(block.GraphsName, func(key, record []byte) error {
			var r graphs.Record
			if err := block.DecodeStruct(block.GraphsName, key, record, &r); err != nil {
				return err
			}
			if r.Directed {
				t.Header.Need(block.FeatureDirected) // the header may be a new one
			}
			return parts(r.Object, tree.GraphParts[:]...)
		})
		if err != nil {
			return err
		}
		return t.Each(block.EmbeddingsName, func(key, record []byte) error {
			var r embeddingRecord
			if err := block.DecodeStruct(block.EmbeddingsName, key, record, &r); err != nil {
				return err
			}
			return parts(r.Object, block.RowsName)
		})
	})
}

// graphs rebuilds the graphs with faults.
func (m *mender) graphs(ctx context.Context) error {
	m.gone = make(map[string]bool)
	var names []string
	err := m.db.file.View(ctx, func(t *tree.Tx) error {
		return t.Each(block.GraphsName, func(key, _ []byte) error {
			names = append(names, string(key))
			return nil
		})
	})
	for _, name := range names {
		if err != nil {
			break
		}
		if m.faulty(graphs.DescribeGraph(name)) {
			err = m.rebuild(ctx, name)
			continue
		}
		var info GraphInfo
		if info, err = m.db.Graph(ctx, name); err == nil {
			m.report.Graphs = append(m.report.Graphs, RecoveredGraph{Name: name, Vertices: info.Vertices, Edges: info.Count()})
		}
	}
	return err
}

// rebuild replaces a graph by what is left of it.
func (m *mender) rebuild(ctx context.Context, name string) error {
	var (
		left   *rebuilt
		record graphs.Record
	)
	err := m.db.file.View(ctx, func(t *tree.Tx) (err error) {
		if _, err := t.Get(block.GraphsName, []byte(name), &record); err != nil {
			return err
		}
		left, err = remainsOf(t, record.Object, &record)
		if err == nil {
			err = left.readEmbeddings(t, &record)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = m.db.file.InTransaction(ctx, func(t *tree.Tx) error {
		for _, embedding := range left.names {
			m.gone[embedding] = true
			if err := dropEntry(t, embedding); err != nil {
				return err
			}
		}
		return errors.Join(graphs.DropChanges(t, record.ID, math.MaxUint64), t.Discard(record.Object), t.Remove(block.GraphsName, []byte(name)))
	})
	if err != nil {
		return err
	}
	if err := block.CheckName("graph", name); err != nil {
		m.lose(graphs.DescribeGraph(name), "its name is not one that a graph can have; it is left out")
		return nil
	}
	g := RecoveredGraph{Name: name, Rebuilt: true, Vertices: len(left.Keys), Edges: left.Edges()}
	g.LostVertices = max(0, int64(record.Vertices)-int64(g.Vertices))
	g.LostEdges = max(0, int64(record.Count())-g.Edges)
	version, err := left.store(ctx, m.db, name, record.Source)
	if err != nil {
		return err
	}
	m.report.Graphs = append(m.report.Graphs, g)
	m.lose(graphs.DescribeGraph(name), "rebuilt with %d of %d vertices and %d of %d edges%s", g.Vertices, record.Vertices, g.Edges, record.Count(), left.attributesLost(&record))
	return m.restoreEmbeddings(ctx, name, version, left)
}

// restoreEmbeddings stores the embeddings that a rebuilt graph had.
func (m *mender) restoreEmbeddings(ctx context.Context, graph string, version uint64, left *rebuilt) error {
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

// orphans rebuilds graphs from objects whose catalogue entries were lost.
func (m *mender) orphans(ctx context.Context, ids []uint64) error {
	for _, id := range ids {
		var left *rebuilt
		err := m.db.file.View(ctx, func(t *tree.Tx) (err error) {
			left, err = remainsOf(t, id, nil)
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
		if err := m.db.file.InTransaction(ctx, func(t *tree.Tx) error { return t.Discard(id) }); err != nil {
			return err
		}
		m.report.Graphs = append(m.report.Graphs, RecoveredGraph{Name: name, Rebuilt: true, Vertices: len(left.Keys), Edges: left.Edges(), LostVertices: -1, LostEdges: -1})
		m.lose(graphs.DescribeGraph(name), "holds %d vertices and %d edges of a graph whose catalogue entry was lost, with its name, its attributes and its embeddings", len(left.Keys), left.Edges())
	}
	return nil
}

// embeddings removes the embeddings with faults.
func (m *mender) embeddings(ctx context.Context) error {
	return m.db.file.InTransaction(ctx, func(t *tree.Tx) error {
		var bad, stateless, past []string
		err := t.Each(block.EmbeddingsName, func(key, record []byte) error {
			name := string(key)
			switch {
			case m.gone[name]:
			case m.faulty(describeEmbedding(name)):
				bad = append(bad, name)
			default:
				r, err := findEmbedding(t, name)
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
				bad = append(bad, name)
			}
		}
		for _, name := range stateless {
			if err == nil {
				err = dropState(t, name)
			}
			m.lose(describeEmbedding(name)+", "+statePart, "is left out; the next refresh computes the embedding in full")
		}
		for _, name := range bad {
			if err == nil {
				err = dropEntry(t, name)
			}
			m.lose(describeEmbedding(name), "is left out; compute it again")
		}
		return err
	})
}

// changes drops change logs with faults, and entries that belong to no graph.
func (m *mender) changes(ctx context.Context) error {
	return m.db.file.InTransaction(ctx, func(t *tree.Tx) error {
		whole := make(map[uint64]bool)
		err := t.Each(block.GraphsName, func(key, _ []byte) error {
			r, err := graphs.Find(t, string(key))
			if err != nil {
				return err
			}
			where := graphs.DescribeGraph(string(key)) + ", " + graphs.ChangeLogPart
			if m.damaged(where) {
				m.lose(where, "is dropped; embeddings are computed in full once")
				return nil
			}
			whole[r.ID] = true
			return nil
		})
		if err != nil {
			return err
		}
		var stray [][]byte
		err = t.Each(block.ChangesName, func(key, _ []byte) error {
			if len(key) != block.ChangesKeySize || !whole[block.IDOf(key)] {
				stray = append(stray, append([]byte(nil), key...))
			}
			return nil
		})
		for _, key := range stray {
			err = errors.Join(err, t.Remove(block.ChangesName, key))
		}
		return err
	})
}

// objects removes objects that belong to nothing. A catalogue that cannot be read is an error here,
// where other removals continue: all that belongs to its entries would be removed.
func (m *mender) objects(ctx context.Context) error {
	return m.db.file.Change(ctx, func(t *tree.Tx) error {
		used := make(map[uint64]bool)
		err := t.Each(block.GraphsName, func(key, _ []byte) error {
			r, err := graphs.Find(t, string(key))
			if err == nil {
				used[r.Object] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		err = t.Each(block.EmbeddingsName, func(key, _ []byte) error {
			r, err := findEmbedding(t, string(key))
			if err == nil {
				used[r.Object], used[r.State.Object] = true, true
			}
			return err
		})
		if err != nil {
			return err
		}
		left := make(tree.Owners)
		for _, k := range kinds() {
			if err := k.own(t, left); err != nil {
				return err
			}
		}
		for object := range left {
			used[object] = true
		}
		return t.Each(block.ObjectsName, func(key, _ []byte) error {
			if used[block.IDOf(key)] {
				return nil
			}
			return t.Discard(block.IDOf(key))
		})
	})
}

// movedModel is a model whose graph was rebuilt.
type movedModel struct {
	name   string
	record *modelRecord
}

// models removes the models with faults and those whose graphs are gone. Those of a
// graph that was rebuilt belong to the new one.
func (m *mender) models(ctx context.Context) error {
	return m.db.file.InTransaction(ctx, func(t *tree.Tx) error {
		var bad []string
		var moved []movedModel
		err := t.Each(block.ModelsName, func(key, record []byte) error {
			name := string(key)
			r := new(modelRecord)
			if err := block.DecodeStruct(block.ModelsName, key, record, r); err != nil || m.damaged(describeModel(name)) {
				bad = append(bad, name)
				return nil
			}
			g, err := graphs.Find(t, r.Graph)
			switch {
			case errors.Is(err, ErrNotFound):
				bad = append(bad, name)
				return nil
			case err != nil:
				return err
			case g.ID != r.GraphID:
				r.GraphID, r.GraphVersion = g.ID, g.Version
				moved = append(moved, movedModel{name, r})
			}
			m.report.Models = append(m.report.Models, name)
			return nil
		})
		for _, one := range moved {
			if err == nil {
				err = t.Put(block.ModelsName, []byte(one.name), one.record)
			}
		}
		for _, name := range bad {
			if err == nil {
				err = t.Remove(block.ModelsName, []byte(name))
			}
			m.lose(describeModel(name), "is left out; train it again")
		}
		return err
	})
}

// damaged reports whether a check found a fault in the object of this name itself.
func (m *mender) damaged(where string) bool {
	return slices.ContainsFunc(m.faults, func(f Fault) bool { return f.Where == where })
}
