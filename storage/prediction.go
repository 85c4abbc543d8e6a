package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// Predictions are the likeliest links of every vertex of a graph by one scorer,
// computed from one version of the graph. The key of their record is the graph and the
// scorer. The links of each vertex are a record of their own, so that an answer reads
// one record:
//
//	predictions / graph 8 scorer       catalogue entry (msgpack)
//	object / "links" / slot 4          checksum 4 │ slot uvarint, score 8 …
//
// The slots are those of the other ends, the likeliest first. A vertex without a record
// was added later. Predictions are removed with their graph.

// PredictionInfo is the catalogue entry of predictions.
type PredictionInfo struct {
	Graph        string    `json:"graph"`
	GraphID      uint64    `json:"graph_id"`      // 0 in PutPredictions means the graph with the name
	GraphVersion uint64    `json:"graph_version"` // version of the graph that they were computed from
	Scorer       string    `json:"scorer"`        // as the language has it, such as model(friends)
	K            int       `json:"k"`             // most links of a vertex
	Options      []Setting `json:"options"`
	Directed     bool      `json:"directed"`      // the links of a vertex are edges from it; otherwise links of the undirected view
	Made         time.Time `json:"made,omitzero"` // when the model or the vectors that the scorer reads were made; zero if it reads neither
	Vertices     int       `json:"vertices"`
	Links        int64     `json:"links"`
	Seconds      float64   `json:"seconds"` // time that computing and writing them took
	Created      time.Time `json:"created"`
}

// PredictedLink is a predicted link of a vertex.
type PredictedLink struct {
	Vertex uint32 // of the snapshot
	Score  float64
}

// PredictedKey is a PredictedLink by the key of the vertex.
type PredictedKey struct {
	Key   string
	Score float64
}

// Predicted is the answer for one vertex, the likeliest link first, with the entry of
// the predictions.
type Predicted struct {
	PredictionInfo
	Links   []PredictedKey
	New     bool   // the vertex was added after the predictions
	Changed bool   // its edges have changed since
	Behind  uint64 // versions of the graph since, without those that changed attributes only
}

// predictionRecord is the catalogue entry as it is stored.
type predictionRecord struct {
	GraphVersion uint64    `msgpack:"graph_version"`
	Top          uint64    `msgpack:"top"`
	Options      []Setting `msgpack:"options"`
	Made         int64     `msgpack:"made"` // nanoseconds of Unix time
	Vertices     uint64    `msgpack:"vertices"`
	Links        uint64    `msgpack:"links"`
	Seconds      float64   `msgpack:"seconds"`
	Created      int64     `msgpack:"created"`
	Object       uint64    `msgpack:"object"` // 0 where there are no vertices
	Directed     bool      `msgpack:"directed,omitempty"`
}

const (
	// MaxPredicted bounds the links of a vertex.
	MaxPredicted = 10_000
	maxScorer    = 1024 // bytes of the text of a scorer
)

func (r *predictionRecord) Validate(int64) error {
	if r.GraphVersion == 0 || r.Top == 0 || r.Top > MaxPredicted || r.Vertices > block.MaxVertices || r.Links > r.Vertices*r.Top ||
		(r.Object == 0) != (r.Vertices == 0) || math.IsNaN(r.Seconds) {
		return fault.Record("predictions of %d links of %d vertices, %d each at most", r.Links, r.Vertices, r.Top)
	}
	return nil
}

func (r *predictionRecord) info(graph string, id uint64, scorer string) PredictionInfo {
	return PredictionInfo{
		Graph: graph, GraphID: id, GraphVersion: r.GraphVersion, Scorer: scorer, K: int(r.Top), Options: copied(r.Options), Directed: r.Directed,
		Made: fromUnixNano(r.Made), Vertices: int(r.Vertices), Links: int64(r.Links), Seconds: r.Seconds, Created: time.Unix(0, r.Created),
	}
}

func predictionKey(graph uint64, scorer string) []byte { return append(block.Key64(graph), scorer...) }

func describePredictions(scorer string) string {
	return fmt.Sprintf("predictions by %s", fault.Clip(scorer))
}

// predictionKind are the predictions, by graph and scorer. A recovery leaves them
// behind: they can be computed again.
var predictionKind = artefact[predictionRecord]{
	bucket: block.PredictionsName, name: "predictions by", shortest: 8 + 1, longest: 8 + maxScorer,
	remedy:   "drop the predictions and materialize them again",
	describe: func(_ *tree.Tx, key []byte) string { return describePredictions(string(key[min(8, len(key)):])) },
	called:   func(key []byte) string { return string(key[8:]) },
	validate: (*predictionRecord).Validate,
	object:   func(r *predictionRecord) uint64 { return r.Object },
	verify:   checkPredictions,
	measure: func(out *Stats, _ *tree.Tx, key []byte, r *predictionRecord, bytes int64) {
		out.Predicted = append(out.Predicted, PredictedStats{string(key[8:]), int(r.Vertices), bytes})
	},
	leave: func([]byte, *predictionRecord) (where, what string) {
		return "predictions", "they are not carried over; materialize them again"
	},
}

// checkPredictions verifies that predictions fit their graph, and the links of every
// vertex.
func checkPredictions(c *verify.Checker, where string, key []byte, r *predictionRecord) error {
	id := block.IDOf(key)
	g := c.Graph(id)
	if g == nil {
		c.Fault(where, fmt.Sprintf("their graph, with the number %d, is missing", id), fault.RemedyRestore)
		return nil
	}
	c.CheckGraphOf(where, g.Name, id, r.GraphVersion)
	if r.Object == 0 {
		return nil
	}
	c.Refer(r.Object, where, block.LinksName)
	return checkLinks(c, &g.Record, r)
}

// PredictionWriter writes predictions. It belongs to one goroutine.
type PredictionWriter struct {
	db     *DB
	ctx    context.Context
	snap   *Snapshot
	where  string
	object uint64 // 0 before the first batch
	next   uint32 // vertex
	links  uint64
	top    int
	old    *predictionRecord // those before; nil for none
	scorer string

	pending [][]byte // unsealed records of the vertices before next; nil is that of old
	bytes   int
}

// PutPredictions stores the predictions that write gives to a writer, vertex by vertex
// of the snapshot, and returns their entry. They replace those of the same graph and
// scorer in one step; until then, and if it fails, nothing changes. Graph, Scorer, Top
// and what describes them must be set in info; GraphVersion is that of the snapshot,
// and the rest is set here. If the name belongs to another graph by now, it is
// ErrConflict.
func (db *DB) PutPredictions(ctx context.Context, snap *Snapshot, info PredictionInfo, write func(w *PredictionWriter) error) (PredictionInfo, error) {
	defer db.Hold()()
	began := time.Now()
	where := describePredictions(info.Scorer)
	if info.Scorer == "" || len(info.Scorer) > maxScorer || info.K < 1 || info.K > MaxPredicted || info.Directed && !snap.Info.Directed {
		return PredictionInfo{}, fmt.Errorf("%s: %d links: %w", where, info.K, ErrInvalid)
	}
	w := &PredictionWriter{db: db, ctx: ctx, snap: snap, where: where, scorer: info.Scorer, top: info.K}
	defer w.abandon()
	key := predictionKey(snap.Info.ID, info.Scorer)
	err := db.file.View(ctx, func(t *tree.Tx) (err error) {
		w.old, err = findPredictions(t, snap.Info.ID, info.Scorer)
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrCorrupt) { // what is damaged is replaced
			w.old, err = nil, nil
		}
		return err
	})
	if err != nil {
		return PredictionInfo{}, err
	}
	if err := write(w); err != nil {
		return PredictionInfo{}, fmt.Errorf("%s: %w", where, err)
	}
	if int(w.next) != snap.Info.Vertices {
		return PredictionInfo{}, fmt.Errorf("%s of %d of %d vertices: %w", where, w.next, snap.Info.Vertices, ErrInvalid)
	}
	r := predictionRecord{
		GraphVersion: snap.Info.Version, Top: uint64(info.K), Options: copied(info.Options), Directed: info.Directed, Made: unixNano(info.Made),
		Vertices: uint64(w.next), Created: time.Now().UnixNano(),
	}
	object := w.object
	err = db.file.Change(ctx, func(t *tree.Tx) error {
		g, err := graphs.Find(t, snap.Info.Name)
		if err != nil {
			return err
		}
		if g.ID != snap.Info.ID {
			return fmt.Errorf("%s: graph %q was dropped and created again: %w", where, snap.Info.Name, ErrConflict)
		}
		if err := w.put(t); err != nil {
			return err
		}
		if err := predictionKind.drop(t, key); err != nil {
			return err
		}
		if object != 0 {
			if err := t.Remove(block.JournalName, tree.JournalKey(tree.JournalBlob, tree.ObjectName(object))); err != nil {
				return err
			}
		}
		r.Object, r.Links, r.Seconds = w.object, w.links, time.Since(began).Seconds()
		return predictionKind.put(t, key, &r)
	})
	if err != nil {
		w.object = object
		return PredictionInfo{}, err
	}
	w.object = 0
	return r.info(snap.Info.Name, snap.Info.ID, info.Scorer), nil
}

// Add writes the links of the next vertex, the likeliest first. It does not keep the
// slice.
func (w *PredictionWriter) Add(links []PredictedLink) error {
	if len(links) > w.top || int(w.next) >= w.snap.Info.Vertices {
		return fmt.Errorf("%d links of vertex %d: %w", len(links), w.next, ErrInvalid)
	}
	record := block.NewLinks(len(links))
	for _, l := range links {
		if math.IsNaN(l.Score) || int(l.Vertex) >= w.snap.Info.Vertices {
			return fmt.Errorf("link to vertex %d with score %v: %w", l.Vertex, l.Score, ErrInvalid)
		}
		record = block.AppendLink(record, block.SlotScore{Slot: w.snap.slots.Slot(l.Vertex), Score: l.Score})
	}
	w.links += uint64(len(links))
	return w.add(record, block.MaxLinkBytes*len(links))
}

// Copy writes the links that the next vertex had in the previous predictions of the
// same graph and scorer. If there are none it is ErrInvalid, and if they were replaced
// or dropped meanwhile it is ErrConflict.
func (w *PredictionWriter) Copy() error {
	if w.old == nil || int(w.next) >= w.snap.Info.Vertices {
		return fmt.Errorf("vertex %d has no links to keep: %w", w.next, ErrInvalid)
	}
	return w.add(nil, block.MaxLinkBytes*int(w.old.Top))
}

// add takes the record of the next vertex, and writes a batch once it is large enough.
func (w *PredictionWriter) add(record []byte, size int) error {
	w.pending = append(w.pending, record)
	w.bytes += size + page.ElementSize
	w.next++
	if w.bytes < w.db.file.Opts.BatchBytes {
		return nil
	}
	unlock, err := w.db.file.LockWriter(w.ctx)
	if err != nil {
		return err
	}
	defer unlock()
	object := w.object
	err = w.db.file.Update(w.ctx, func(t *tree.Tx) error {
		if err := w.put(t); err != nil {
			return err
		}
		return t.Put(block.JournalName, tree.JournalKey(tree.JournalBlob, tree.ObjectName(w.object)), &tree.JournalRecord{Object: w.object, Next: uint64(w.next), Source: w.where, Started: time.Now().UnixNano()})
	})
	if err != nil {
		w.object = object
	}
	return err
}

// put writes the pending records.
func (w *PredictionWriter) put(t *tree.Tx) error {
	if len(w.pending) == 0 {
		return nil
	}
	var err error
	if w.object == 0 {
		if w.object, err = t.NewObject(block.LinksName); err != nil {
			return err
		}
	}
	p, err := t.Part(w.object, block.LinksName)
	if err != nil {
		return fault.Corrupt(t.Path, w.where, err)
	}
	p.Bucket.FillPercent = 1 // slots only ascend
	first := w.next - uint32(len(w.pending))
	var kept func(slot uint32) ([]byte, error) // reads the record before; its entries are looked up once
	for i, record := range w.pending {
		slot := w.snap.slots.Slot(first + uint32(i))
		key := block.Key32(slot)
		if record == nil && kept == nil {
			if kept, err = w.previous(t); err != nil {
				return err
			}
		}
		if record == nil {
			if record, err = kept(slot); err != nil {
				return fault.Corrupt(t.Path, w.where, err)
			}
		}
		if err := p.Put(key, p.Seed.Seal(key, record)); err != nil {
			return err
		}
	}
	w.pending, w.bytes = nil, 0
	return nil
}

// previous returns the function that reads the record that a slot had before, unsealed.
func (w *PredictionWriter) previous(t *tree.Tx) (func(slot uint32) ([]byte, error), error) {
	g, err := graphs.Find(t, w.snap.Info.Name)
	if err != nil {
		return nil, err
	}
	now := new(predictionRecord)
	found, err := t.Get(block.PredictionsName, predictionKey(w.snap.Info.ID, w.scorer), now)
	if err != nil || !found || now.Object != w.old.Object {
		return nil, fmt.Errorf("%s were replaced or dropped meanwhile: %w", w.where, ErrConflict)
	}
	p, err := t.Part(now.Object, block.LinksName)
	if err != nil {
		return nil, fault.Corrupt(t.Path, w.where, err)
	}
	return func(slot uint32) ([]byte, error) {
		links, found, err := linksIn(t, p, g, now, slot)
		if err == nil && !found {
			err = fault.Record("no links of slot %d", slot)
		}
		w.links += uint64(len(links))
		record := block.NewLinks(len(links))
		for _, l := range links {
			record = block.AppendLink(record, l)
		}
		return record, err
	}, nil
}

// abandon frees what was written and not published, even where the context has ended.
func (w *PredictionWriter) abandon() {
	w.db.file.DropUnpublished(w.ctx, w.object)
}

func findPredictions(t *tree.Tx, graph uint64, scorer string) (*predictionRecord, error) {
	return predictionKind.find(t, predictionKey(graph, scorer))
}

// Predictions lists the predictions by graph, in the order of their numbers, and
// scorer. If records are damaged, it lists the others and returns a PartialError that
// names them.
func (db *DB) Predictions(ctx context.Context) ([]PredictionInfo, error) {
	var list []PredictionInfo
	var damaged error
	err := db.file.View(ctx, func(t *tree.Tx) error {
		list = nil
		names, lost, err := graphNames(t)
		if err != nil {
			return err
		}
		bad, err := predictionKind.valid(t, nil, func(key []byte, r *predictionRecord) {
			id := block.IDOf(key)
			if name, known := names[id]; known {
				list = append(list, r.info(name, id, string(key[8:])))
			}
		})
		damaged = fault.Partial(lost, bad)
		return err
	})
	return list, cmp.Or(err, damaged)
}

// graphNames returns the names of the graphs by number; damaged says which entries
// are.
func graphNames(t *tree.Tx) (names map[uint64]string, damaged, err error) {
	names = make(map[uint64]string)
	var list []error
	err = t.Each(block.GraphsName, func(key, _ []byte) error {
		r, err := graphs.Find(t, string(key))
		if err == nil {
			names[r.ID] = string(key)
		} else {
			list = append(list, err)
		}
		return nil
	})
	return names, fault.Partial(list...), err
}

// DropPredictions removes the predictions of a graph by a scorer. If their record is
// damaged, their links stay until the next compaction.
func (db *DB) DropPredictions(ctx context.Context, graph, scorer string) error {
	return db.file.Change(ctx, func(t *tree.Tx) error {
		g, err := graphs.Find(t, graph)
		if err != nil {
			return err
		}
		if _, err := findPredictions(t, g.ID, scorer); errors.Is(err, ErrNotFound) {
			return err
		}
		return predictionKind.drop(t, predictionKey(g.ID, scorer))
	})
}

// checkLinks verifies the links of every vertex.
func checkLinks(c *verify.Checker, g *graphs.Record, r *predictionRecord) error {
	p, err := c.Tx.Part(r.Object, block.LinksName)
	if err != nil {
		return err
	}
	c.Tx.ReadAhead(p.Bucket)
	vertices, links := uint64(0), uint64(0)
	err = c.Tx.Scan(p, func(key, payload []byte) error {
		if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) >= g.Slots {
			return fault.Record("links of slot %x of %d", key, g.Slots)
		}
		list, err := block.DecodeLinks(payload, r.Top, g.Slots)
		vertices++
		links += uint64(len(list))
		return err
	})
	if err == nil && (vertices != r.Vertices || links != r.Links) {
		err = fault.Record("%d links of %d vertices instead of %d of %d", links, vertices, r.Links, r.Vertices)
	}
	return err
}

// linksOf reads the links of the vertex in a slot, and whether it has a record.
func linksOf(t *tree.Tx, g *graphs.Record, r *predictionRecord, slot uint32) ([]block.SlotScore, bool, error) {
	if r.Object == 0 {
		return nil, false, nil
	}
	p, err := t.Part(r.Object, block.LinksName)
	if err != nil {
		return nil, false, err
	}
	return linksIn(t, p, g, r, slot)
}

// linksIn is linksOf for the part that has the links.
func linksIn(t *tree.Tx, p tree.Part, g *graphs.Record, r *predictionRecord, slot uint32) ([]block.SlotScore, bool, error) {
	key := block.Key32(slot)
	record := p.Bucket.Get(key)
	if record == nil {
		return nil, false, nil
	}
	payload, err := p.Seed.Open(key, record)
	if err != nil {
		return nil, false, err
	}
	links, err := block.DecodeLinks(payload, r.Top, g.Slots)
	return links, true, err
}
