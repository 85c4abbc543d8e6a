package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// Predictions are the likeliest links of every vertex of a graph by one scorer, as
// they were computed of one version of it. Their record lies under the graph and the
// scorer, and the links of each vertex in a record of their own, so that an answer
// reads one of them:
//
//	predictions / graph 8 scorer       catalogue entry (msgpack)
//	object / "links" / slot 4          checksum 4 │ slot uvarint, score 8 …
//
// The slots are those of the other ends, the likeliest first. A vertex that has no
// record came later. They go with their graph.

// PredictionInfo is the catalogue entry of predictions.
type PredictionInfo struct {
	Graph        string
	GraphID      uint64 // 0 in PutPredictions is that of the name
	GraphVersion uint64 // version of the graph that they were computed of
	Scorer       string // as the language has it, such as model(friends)
	Top          int    // links of a vertex at most
	Options      []Setting
	Made         time.Time // when what the scorer reads was made: its model, or the vectors; zero for neither
	Vertices     int
	Links        int64
	Seconds      float64 // time that computing and writing them took
	Created      time.Time
}

// PredictedLink is a link of a vertex that the graph did not have.
type PredictedLink struct {
	Vertex uint32 // of the snapshot
	Score  float64
}

// PredictedKey is a PredictedLink by the key of the vertex.
type PredictedKey struct {
	Key   string
	Score float64
}

// Predicted is the answer for one vertex, the likeliest link first, with what the
// predictions are.
type Predicted struct {
	PredictionInfo
	Links   []PredictedKey
	New     bool   // the vertex came later than the predictions
	Changed bool   // its edges have changed since
	Behind  uint64 // versions of the graph since, without those that changed attributes only
}

// predictionRecord is the catalogue entry as it is stored.
type predictionRecord struct {
	GraphVersion uint64          `msgpack:"graph_version"`
	Top          uint64          `msgpack:"top"`
	Options      []settingRecord `msgpack:"options"`
	Made         int64           `msgpack:"made"` // nanoseconds of Unix time
	Vertices     uint64          `msgpack:"vertices"`
	Links        uint64          `msgpack:"links"`
	Seconds      float64         `msgpack:"seconds"`
	Created      int64           `msgpack:"created"`
	Object       uint64          `msgpack:"object"` // 0 where there are no vertices
}

const (
	// MaxPredicted bounds the links of a vertex: more is no answer that anybody reads.
	MaxPredicted = 10_000
	maxScorer    = 1024 // bytes of the text of a scorer
)

func (r *predictionRecord) validate() error {
	if r.GraphVersion == 0 || r.Top == 0 || r.Top > MaxPredicted || r.Vertices > maxVertices || r.Links > r.Vertices*r.Top ||
		(r.Object == 0) != (r.Vertices == 0) || math.IsNaN(r.Seconds) {
		return badRecord("predictions of %d links of %d vertices, %d each at most", r.Links, r.Vertices, r.Top)
	}
	return nil
}

func (r *predictionRecord) info(graph string, id uint64, scorer string) PredictionInfo {
	return PredictionInfo{
		Graph: graph, GraphID: id, GraphVersion: r.GraphVersion, Scorer: scorer, Top: int(r.Top), Options: settings(r.Options),
		Made: fromUnixNano(r.Made), Vertices: int(r.Vertices), Links: int64(r.Links), Seconds: r.Seconds, Created: time.Unix(0, r.Created),
	}
}

func predictionKey(graph uint64, scorer string) []byte { return append(be64(graph), scorer...) }

func describePredictions(scorer string) string {
	return fmt.Sprintf("predictions by %s", clip(scorer))
}

// slotScore is a link of a vertex by the slot of its other end.
type slotScore struct {
	slot  uint32
	score float64
}

// maxLinkBytes is the most that one takes in a record.
const maxLinkBytes = binary.MaxVarintLen32 + 8

// newLinks begins an unsealed record with room for so many links.
func newLinks(links int) []byte { return make([]byte, sumSize, sumSize+maxLinkBytes*links) }

// appendLink appends a link to a record.
func appendLink(b []byte, l slotScore) []byte {
	b = binary.AppendUvarint(b, uint64(l.slot))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(l.score))
}

// decodeLinks reads the links of a vertex, at most top of a graph of so many slots.
func decodeLinks(payload []byte, top, slots uint64) ([]slotScore, error) {
	var links []slotScore
	for len(payload) > 0 {
		slot, n := uvarint(payload)
		if n == 0 || slot >= slots || len(payload) < n+8 || uint64(len(links)) == top {
			return nil, badRecord("%d bytes after %d of %d links", len(payload), len(links), top)
		}
		score := math.Float64frombits(binary.LittleEndian.Uint64(payload[n:]))
		if math.IsNaN(score) {
			return nil, badRecord("score of slot %d is not a number", slot)
		}
		links = append(links, slotScore{uint32(slot), score})
		payload = payload[n+8:]
	}
	return links, nil
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

// PutPredictions stores the predictions that write gives to a writer, vertex by
// vertex of the snapshot, and returns their entry. They take the place of those of
// the same graph and scorer in one step; until then, and where it fails, nothing
// changes. Graph, Scorer, Top and what describes them must be set in info;
// GraphVersion is that of the snapshot, and the rest is set here. Where the graph is
// another one by now it is ErrConflict.
func (db *DB) PutPredictions(ctx context.Context, snap *Snapshot, info PredictionInfo, write func(w *PredictionWriter) error) (PredictionInfo, error) {
	began := time.Now()
	where := describePredictions(info.Scorer)
	if info.Scorer == "" || len(info.Scorer) > maxScorer || info.Top < 1 || info.Top > MaxPredicted {
		return PredictionInfo{}, fmt.Errorf("storage: %s: %d links: %w", where, info.Top, ErrInvalid)
	}
	w := &PredictionWriter{db: db, ctx: ctx, snap: snap, where: where, scorer: info.Scorer, top: info.Top}
	defer w.abandon()
	key := predictionKey(snap.Info.ID, info.Scorer)
	err := db.view(ctx, func(t *tx) (err error) {
		w.old, err = t.findPredictions(snap.Info.ID, info.Scorer)
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrCorrupt) { // what is damaged is replaced
			w.old, err = nil, nil
		}
		return err
	})
	if err != nil {
		return PredictionInfo{}, err
	}
	if err := write(w); err != nil {
		return PredictionInfo{}, fmt.Errorf("storage: %s: %w", where, err)
	}
	if int(w.next) != snap.Info.Vertices {
		return PredictionInfo{}, fmt.Errorf("storage: %s of %d of %d vertices: %w", where, w.next, snap.Info.Vertices, ErrInvalid)
	}
	r := predictionRecord{
		GraphVersion: snap.Info.Version, Top: uint64(info.Top), Options: settingRecords(info.Options), Made: unixNano(info.Made),
		Vertices: uint64(w.next), Created: time.Now().UnixNano(),
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return PredictionInfo{}, err
	}
	defer unlock()
	object := w.object
	err = db.update(ctx, func(t *tx) error {
		g, err := t.findGraph(snap.Info.Name)
		if err != nil {
			return err
		}
		if g.ID != snap.Info.ID {
			return fmt.Errorf("storage: %s: graph %q is another one by now: %w", where, snap.Info.Name, ErrConflict)
		}
		if err := w.put(t); err != nil {
			return err
		}
		if err := t.dropPredictions(key); err != nil {
			return err
		}
		if object != 0 {
			if err := t.remove(journalName, w.journalKey()); err != nil {
				return err
			}
		}
		r.Object, r.Links, r.Seconds = w.object, w.links, time.Since(began).Seconds()
		if err := r.validate(); err != nil {
			return fmt.Errorf("storage: %s: %w: %w", where, err, ErrInvalid)
		}
		return t.put(predictionsName, key, &r)
	})
	if err != nil {
		w.object = object
		return PredictionInfo{}, err
	}
	w.object = 0
	db.sweep(ctx)
	return r.info(snap.Info.Name, snap.Info.ID, info.Scorer), nil
}

// Add writes the links of the next vertex, the likeliest first. It keeps nothing of
// the slice.
func (w *PredictionWriter) Add(links []PredictedLink) error {
	if len(links) > w.top || int(w.next) >= w.snap.Info.Vertices {
		return fmt.Errorf("%d links of vertex %d: %w", len(links), w.next, ErrInvalid)
	}
	record := newLinks(len(links))
	for _, l := range links {
		if math.IsNaN(l.Score) || int(l.Vertex) >= w.snap.Info.Vertices {
			return fmt.Errorf("link to vertex %d with score %v: %w", l.Vertex, l.Score, ErrInvalid)
		}
		record = appendLink(record, slotScore{w.snap.slots.slot(l.Vertex), l.Score})
	}
	w.links += uint64(len(links))
	return w.add(record, maxLinkBytes*len(links))
}

// Keep writes the links that the next vertex had in the predictions before, of the
// same graph and scorer. Where there are none it is ErrInvalid, and where these were
// replaced or dropped meanwhile ErrConflict.
func (w *PredictionWriter) Keep() error {
	if w.old == nil || int(w.next) >= w.snap.Info.Vertices {
		return fmt.Errorf("vertex %d has no links to keep: %w", w.next, ErrInvalid)
	}
	return w.add(nil, maxLinkBytes*int(w.old.Top))
}

// add takes the record of the next vertex, of some bytes, and writes a batch where
// there are enough.
func (w *PredictionWriter) add(record []byte, size int) error {
	w.pending = append(w.pending, record)
	w.bytes += size + leafElemSize
	w.next++
	if w.bytes < w.db.opts.BatchBytes {
		return nil
	}
	unlock, err := w.db.lockWriter(w.ctx)
	if err != nil {
		return err
	}
	defer unlock()
	object := w.object
	err = w.db.update(w.ctx, func(t *tx) error {
		if err := w.put(t); err != nil {
			return err
		}
		return t.put(journalName, w.journalKey(), &journalRecord{Object: w.object, Next: uint64(w.next), Source: w.where, Started: time.Now().UnixNano()})
	})
	if err != nil {
		w.object = object
	}
	return err
}

// put writes the pending records.
func (w *PredictionWriter) put(t *tx) error {
	if len(w.pending) == 0 {
		return nil
	}
	var err error
	if w.object == 0 {
		if w.object, err = t.newObject(linksName); err != nil {
			return err
		}
	}
	p, err := t.part(w.object, linksName)
	if err != nil {
		return corrupt(t.path, w.where, err)
	}
	p.bucket.FillPercent = 1 // slots only ascend
	first := w.next - uint32(len(w.pending))
	for i, record := range w.pending {
		slot := w.snap.slots.slot(first + uint32(i))
		key := be32(slot)
		if record == nil {
			if record, err = w.kept(t, slot); err != nil {
				return err
			}
		}
		if err := p.bucket.Put(key, p.seed.seal(key, record)); err != nil {
			return err
		}
	}
	w.pending, w.bytes = nil, 0
	return nil
}

// kept returns the record that a slot had before, unsealed.
func (w *PredictionWriter) kept(t *tx, slot uint32) ([]byte, error) {
	g, err := t.findGraph(w.snap.Info.Name)
	if err != nil {
		return nil, err
	}
	now := new(predictionRecord)
	found, err := t.get(predictionsName, predictionKey(w.snap.Info.ID, w.scorer), now)
	if err != nil || !found || now.Object != w.old.Object {
		return nil, fmt.Errorf("storage: %s were replaced or dropped meanwhile: %w", w.where, ErrConflict)
	}
	links, found, err := t.linksOf(g, now, slot)
	if err == nil && !found {
		err = badRecord("no links of slot %d", slot)
	}
	if err != nil {
		return nil, corrupt(t.path, w.where, err)
	}
	w.links += uint64(len(links))
	record := newLinks(len(links))
	for _, l := range links {
		record = appendLink(record, l)
	}
	return record, nil
}

// abandon frees what was written and not published, even where the context has ended.
func (w *PredictionWriter) abandon() {
	if w.object == 0 {
		return
	}
	ctx := context.WithoutCancel(w.ctx)
	unlock, err := w.db.lockWriter(ctx)
	if err != nil {
		return
	}
	defer unlock()
	if err := w.db.update(ctx, func(t *tx) error { return t.dropJournal(journalBlob, string(be64(w.object))) }); err == nil {
		w.db.sweep(ctx)
	}
}

func (w *PredictionWriter) journalKey() []byte {
	return journalKey(journalBlob, string(be64(w.object)))
}

// findPredictions returns the catalogue entry of predictions.
func (t *tx) findPredictions(graph uint64, scorer string) (*predictionRecord, error) {
	r := new(predictionRecord)
	found, err := t.get(predictionsName, predictionKey(graph, scorer), r)
	if err == nil && found {
		err = r.validate()
	}
	if err != nil {
		return nil, corrupt(t.path, describePredictions(scorer), err)
	}
	if !found {
		return nil, &NotFoundError{Kind: "predictions by", Name: scorer}
	}
	return r, nil
}

// Predictions lists the predictions by graph, in the order of their numbers, and
// scorer.
func (db *DB) Predictions(ctx context.Context) ([]PredictionInfo, error) {
	var list []PredictionInfo
	err := db.view(ctx, func(t *tx) error {
		list = nil
		names := make(map[uint64]string)
		err := t.each(graphsName, func(key, _ []byte) error {
			if g, err := t.findGraph(string(key)); err == nil {
				names[g.ID] = string(key)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return t.eachPredictions(func(id uint64, scorer string, r *predictionRecord) error {
			list = append(list, r.info(names[id], id, scorer))
			return nil
		})
	})
	return list, err
}

// eachPredictions calls f with all predictions, by the number of their graph and by
// scorer.
func (t *tx) eachPredictions(f func(graph uint64, scorer string, r *predictionRecord) error) error {
	return t.each(predictionsName, func(key, _ []byte) error {
		if len(key) <= 8 {
			return corrupt(t.path, "predictions", badRecord("key of %d bytes", len(key)))
		}
		graph, scorer := bytesToID(key[:8]), string(key[8:])
		r, err := t.findPredictions(graph, scorer)
		if err != nil {
			return err
		}
		return f(graph, scorer, r)
	})
}

// dropPredictions removes predictions, if there are any under the key. Of those whose
// record is damaged the links are left to the next compaction.
func (t *tx) dropPredictions(key []byte) error {
	var r predictionRecord
	if found, err := t.get(predictionsName, key, &r); err == nil && found {
		if err := t.trash(r.Object); err != nil {
			return err
		}
	}
	if b, err := t.top(predictionsName); err != nil || b == nil {
		return err
	}
	return t.remove(predictionsName, key)
}

// dropPredictionsOf removes the predictions of a graph.
func (t *tx) dropPredictionsOf(graph uint64) error {
	b, err := t.top(predictionsName)
	if err != nil || b == nil {
		return err
	}
	var keys [][]byte
	prefix := be64(graph)
	cursor := b.Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := t.dropPredictions(key); err != nil {
			return err
		}
	}
	return nil
}

// DropPredictions removes the predictions of a graph by a scorer.
func (db *DB) DropPredictions(ctx context.Context, graph, scorer string) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = db.update(ctx, func(t *tx) error {
		g, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		if _, err := t.findPredictions(g.ID, scorer); err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		return t.dropPredictions(predictionKey(g.ID, scorer))
	})
	if err == nil {
		db.sweep(ctx)
	}
	return err
}

const remedyPredictions = "drop the predictions and materialize them again"

// checkPredictions verifies the predictions and the links of every vertex.
func (c *checker) checkPredictions() error {
	return c.try("predictions", remedyRestore, func() error {
		return c.tx.each(predictionsName, func(key, _ []byte) error {
			c.report.Records++
			if len(key) <= 8 || len(key) > 8+maxScorer {
				return badRecord("key of %d bytes", len(key))
			}
			id, scorer := bytesToID(key[:8]), string(key[8:])
			where := describePredictions(scorer)
			defer c.step()
			return c.try(where, remedyPredictions, func() error {
				r, err := c.tx.findPredictions(id, scorer)
				if err != nil {
					return foundDamage(err)
				}
				g, known := c.graphs[id]
				if !known {
					c.fault(where, fmt.Sprintf("their graph, with the number %d, is not there", id), remedyRestore)
					return nil
				}
				c.checkGraphOf(where, c.names[id], id, r.GraphVersion)
				if r.Object == 0 {
					return nil
				}
				c.refer(r.Object, where, linksName)
				return c.checkLinks(&g, r)
			})
		})
	})
}

// checkLinks verifies the links of every vertex.
func (c *checker) checkLinks(g *graphRecord, r *predictionRecord) error {
	p, err := c.tx.part(r.Object, linksName)
	if err != nil {
		return err
	}
	c.tx.readAhead(p.bucket)
	vertices, links := uint64(0), uint64(0)
	err = c.tx.scan(p, func(key, payload []byte) error {
		if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) >= g.Slots {
			return badRecord("links of slot %x of %d", key, g.Slots)
		}
		list, err := decodeLinks(payload, r.Top, g.Slots)
		vertices++
		links += uint64(len(list))
		return err
	})
	if err == nil && (vertices != r.Vertices || links != r.Links) {
		err = badRecord("%d links of %d vertices instead of %d of %d", links, vertices, r.Links, r.Vertices)
	}
	return err
}

// copyPredictions copies the predictions, and has refer note their links.
func (t *tx) copyPredictions(w *storeWriter, refer func(object uint64, where string)) error {
	if t.root.Bucket(predictionsName) == nil {
		return nil
	}
	if err := w.into(predictionsName); err != nil {
		return err
	}
	return t.eachPredictions(func(graph uint64, scorer string, r *predictionRecord) error {
		refer(r.Object, describePredictions(scorer))
		key := predictionKey(graph, scorer)
		return w.put(key, t.root.Bucket(predictionsName).Get(key))
	})
}

// skipPredictions notes the links that a recovery leaves behind: they can be computed
// again.
func (s *salvage) skipPredictions() error {
	if _, known := s.tops[string(predictionsName)]; !known {
		return nil
	}
	return s.top(predictionsName, func(e found) error {
		var r predictionRecord
		if err := decodeStruct(seedOf(predictionsName), e.key, e.value, &r); err == nil {
			if r.Object != 0 {
				s.skipped[r.Object] = true
			}
			s.losses.add("predictions", errors.New("they are not carried over; materialize them again"))
		}
		return nil
	})
}
