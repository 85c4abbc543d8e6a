package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// A model scores links of a graph. Its record lies under its name, and what it has
// learned is a stream:
//
//	models / name                      catalogue entry (msgpack)
//
// It belongs to its graph and is dropped with it. The embedding that it reads it
// knows by name and by coordinates; where that is dropped the model stays, and says
// which embedding it wants. What is inside of the stream is the business of who
// wrote it.

// ModelInfo is the catalogue entry of a model: everything that shaped it, and what
// was measured of it on pairs that it had not learned from.
type ModelInfo struct {
	Name         string
	Graph        string // name of the graph
	GraphID      uint64 // number of the graph; 0 in PutModel is that of the name
	GraphVersion uint64 // version of the graph that it learned from

	// The embedding that it reads; empty and zero where it reads none.
	Embedding   string
	Generation  uint64    // of the embedding, when the model was trained
	Coordinates time.Time // EmbeddingInfo.Coordinates of that generation: vectors in others mean nothing to the model
	Method      string    // of the embedding
	Settings    []Setting // options of the embedding

	Terms   []string  // what it reads of a pair, by name
	Options []Setting // of the training, after defaults
	Kernel  string    // vec.Kind() of the machine that trained it

	// Measures on the pairs held out.
	AUC              float64
	AveragePrecision float64
	Brier            float64            // mean squared error of the probability
	CalibrationError float64            // mean distance of probability and share of edges, over the bins
	Bins             []CalibrationBin   // ascending
	Heuristics       []HeuristicMeasure // each alone, on the same pairs
	TrainingPairs    int
	TestPairs        int

	Seconds float64 // time that the training took
	Created time.Time
	Bytes   int64 // of the stream
}

// CalibrationBin is how often a model was right about pairs of similar probability.
type CalibrationBin struct {
	Pairs     int
	Predicted float64 // mean probability
	Observed  float64 // share of the pairs that were edges
}

// HeuristicMeasure is how well one score alone tells the edges held out from other
// pairs.
type HeuristicMeasure struct {
	Name             string
	AUC              float64
	AveragePrecision float64
}

// modelRecord is a ModelInfo as it is stored. Times are nanoseconds of Unix time.
type modelRecord struct {
	Graph        string          `msgpack:"graph"`
	GraphID      uint64          `msgpack:"graph_id"`
	GraphVersion uint64          `msgpack:"graph_version"`
	Embedding    string          `msgpack:"embedding"`
	Generation   uint64          `msgpack:"generation"`
	Coordinates  int64           `msgpack:"coordinates"`
	Method       string          `msgpack:"method"`
	Settings     []settingRecord `msgpack:"settings"`
	Terms        []string        `msgpack:"terms"`
	Options      []settingRecord `msgpack:"options"`
	Kernel       string          `msgpack:"kernel"`

	AUC              float64           `msgpack:"auc"`
	AveragePrecision float64           `msgpack:"average_precision"`
	Brier            float64           `msgpack:"brier"`
	CalibrationError float64           `msgpack:"calibration_error"`
	Bins             []binRecord       `msgpack:"bins"`
	Heuristics       []heuristicRecord `msgpack:"heuristics"`
	TrainingPairs    uint64            `msgpack:"training_pairs"`
	TestPairs        uint64            `msgpack:"test_pairs"`

	Seconds float64    `msgpack:"seconds"`
	Created int64      `msgpack:"created"`
	Stream  blobRecord `msgpack:"stream"`
}

type binRecord struct {
	Pairs     uint64  `msgpack:"pairs"`
	Predicted float64 `msgpack:"predicted"`
	Observed  float64 `msgpack:"observed"`
}

type heuristicRecord struct {
	Name             string  `msgpack:"name"`
	AUC              float64 `msgpack:"auc"`
	AveragePrecision float64 `msgpack:"average_precision"`
}

// record is the entry as it is stored.
func (m *ModelInfo) record() modelRecord {
	r := modelRecord{
		Graph: m.Graph, GraphID: m.GraphID, GraphVersion: m.GraphVersion,
		Embedding: m.Embedding, Generation: m.Generation, Coordinates: unixNano(m.Coordinates), Method: m.Method, Settings: settingRecords(m.Settings),
		Terms: m.Terms, Options: settingRecords(m.Options), Kernel: m.Kernel,
		AUC: m.AUC, AveragePrecision: m.AveragePrecision, Brier: m.Brier, CalibrationError: m.CalibrationError,
		TrainingPairs: uint64(m.TrainingPairs), TestPairs: uint64(m.TestPairs), Seconds: m.Seconds,
	}
	for _, b := range m.Bins {
		r.Bins = append(r.Bins, binRecord{uint64(b.Pairs), b.Predicted, b.Observed})
	}
	for _, h := range m.Heuristics {
		r.Heuristics = append(r.Heuristics, heuristicRecord(h))
	}
	return r
}

// info is the entry as the caller gets it.
func (r *modelRecord) info(name string) ModelInfo {
	m := ModelInfo{
		Name: name, Graph: r.Graph, GraphID: r.GraphID, GraphVersion: r.GraphVersion,
		Embedding: r.Embedding, Generation: r.Generation, Coordinates: fromUnixNano(r.Coordinates), Method: r.Method, Settings: settings(r.Settings),
		Terms: r.Terms, Options: settings(r.Options), Kernel: r.Kernel,
		AUC: r.AUC, AveragePrecision: r.AveragePrecision, Brier: r.Brier, CalibrationError: r.CalibrationError,
		TrainingPairs: int(r.TrainingPairs), TestPairs: int(r.TestPairs),
		Seconds: r.Seconds, Created: time.Unix(0, r.Created), Bytes: int64(r.Stream.Size),
	}
	for _, b := range r.Bins {
		m.Bins = append(m.Bins, CalibrationBin{int(b.Pairs), b.Predicted, b.Observed})
	}
	for _, h := range r.Heuristics {
		m.Heuristics = append(m.Heuristics, HeuristicMeasure(h))
	}
	return m
}

// validate refuses what no model has.
func (r *modelRecord) validate(size int64) error {
	shares := []float64{r.AUC, r.AveragePrecision, r.Brier, r.CalibrationError}
	for _, b := range r.Bins {
		shares = append(shares, b.Predicted, b.Observed)
		if b.Pairs > maxPairs {
			return badRecord("model measured on %d pairs", b.Pairs)
		}
	}
	for _, h := range r.Heuristics {
		shares = append(shares, h.AUC, h.AveragePrecision)
	}
	for _, x := range shares {
		if !(x >= 0 && x <= 1) {
			return badRecord("model with a measure of %v", x)
		}
	}
	if r.GraphID == 0 || r.GraphVersion == 0 || (r.Embedding == "") != (r.Generation == 0) || (r.Embedding == "") != (r.Coordinates == 0) ||
		r.TrainingPairs > maxPairs || r.TestPairs > maxPairs || math.IsNaN(r.Seconds) || r.Stream.Object == 0 {
		return badRecord("model of version %d of graph %d, with generation %d of embedding %q and %d pairs", r.GraphVersion, r.GraphID, r.Generation, clip(r.Embedding), r.TrainingPairs)
	}
	return r.Stream.validate(size)
}

// maxPairs bounds numbers of pairs, which fit an int everywhere.
const maxPairs = math.MaxInt32

func describeModel(name string) string { return fmt.Sprintf("model %q", name) }

// PutModel stores a model of the graph info.Graph with the bytes that write writes,
// and returns its entry. Name, Graph, GraphVersion and what describes the model must
// be set in info; Created and Bytes are set here. It takes the place of the model
// with this name in one step, where that is of the same graph, and is otherwise
// ErrExists. Where GraphID is given and the graph of this name is another one by now
// it is ErrConflict. Without bytes, or with measures that are no shares, it is
// ErrInvalid.
func (db *DB) PutModel(ctx context.Context, info ModelInfo, write func(w io.Writer) error) (ModelInfo, error) {
	where := describeModel(info.Name)
	if err := checkName("model", info.Name); err != nil {
		return ModelInfo{}, err
	}
	w := db.newBlobWriter(ctx, where)
	defer w.abandon(ctx)
	if err := write(w); err != nil {
		return ModelInfo{}, fmt.Errorf("storage: %s: %w", where, err)
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return ModelInfo{}, err
	}
	defer unlock()
	r := info.record()
	r.Created = time.Now().UnixNano()
	err = db.update(ctx, func(t *tx) error {
		if err := t.placeModel(info.Name, &r); err != nil {
			return err
		}
		if r.Stream, err = w.publish(t); err != nil {
			return err
		}
		if err := r.validate(math.MaxInt64); err != nil {
			return fmt.Errorf("storage: %s: %w: %w", where, err, ErrInvalid)
		}
		return t.put(modelsName, []byte(info.Name), &r)
	})
	if err != nil {
		return ModelInfo{}, err
	}
	db.sweep(ctx)
	return r.info(info.Name), nil
}

// placeModel checks a new model against its graph and the model that has its name,
// which goes.
func (t *tx) placeModel(name string, r *modelRecord) error {
	g, err := t.findGraph(r.Graph)
	if err != nil {
		return err
	}
	if r.GraphID != 0 && r.GraphID != g.ID {
		return fmt.Errorf("storage: %s: graph %q is another one than that it learned from: %w", describeModel(name), r.Graph, ErrConflict)
	}
	if r.GraphVersion > g.Version {
		return fmt.Errorf("storage: %s: graph %q has version %d, not %d: %w", describeModel(name), r.Graph, g.Version, r.GraphVersion, ErrInvalid)
	}
	r.GraphID = g.ID
	old, err := t.findModel(name)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case old.GraphID != g.ID:
		return fmt.Errorf("storage: model %q belongs to graph %q: %w", name, old.Graph, ErrExists)
	}
	return t.trash(old.Stream.Object)
}

// findModel returns the catalogue entry of a model.
func (t *tx) findModel(name string) (*modelRecord, error) {
	r := new(modelRecord)
	found, err := t.get(modelsName, []byte(name), r)
	if err == nil && found {
		err = r.validate(t.bound())
	}
	if err != nil {
		return nil, corrupt(t.path, describeModel(name), err)
	}
	if !found {
		return nil, &NotFoundError{Kind: "model", Name: name}
	}
	return r, nil
}

// ModelInfo returns the catalogue entry of a model.
func (db *DB) ModelInfo(ctx context.Context, name string) (ModelInfo, error) {
	var info ModelInfo
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findModel(name)
		if err == nil {
			info = r.info(name)
		}
		return err
	})
	return info, err
}

// Model returns the catalogue entry of a model and a reader of its bytes; where the
// model is replaced or dropped while they are read the reader gives ErrConflict.
func (db *DB) Model(ctx context.Context, name string) (ModelInfo, io.Reader, error) {
	var info ModelInfo
	var reader io.Reader
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findModel(name)
		if err != nil {
			return err
		}
		info = r.info(name)
		reader, err = t.openBlob(db, describeModel(name), r.Stream)
		return err
	})
	return info, reader, err
}

// Models lists the models by name.
func (db *DB) Models(ctx context.Context) ([]ModelInfo, error) {
	var list []ModelInfo
	err := db.view(ctx, func(t *tx) error {
		list = nil
		return t.each(modelsName, func(key, _ []byte) error {
			r, err := t.findModel(string(key))
			if err == nil {
				list = append(list, r.info(string(key)))
			}
			return err
		})
	})
	return list, err
}

// DropModel removes a model. Of one whose record is damaged the stream is left to
// the next compaction.
func (db *DB) DropModel(ctx context.Context, name string) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = db.update(ctx, func(t *tx) error {
		if err := t.dropModel(name); !errors.Is(err, ErrCorrupt) {
			return err
		}
		return t.remove(modelsName, []byte(name))
	})
	if err != nil {
		return err
	}
	db.sweep(ctx)
	return nil
}

func (t *tx) dropModel(name string) error {
	r, err := t.findModel(name)
	if err != nil {
		return err
	}
	if err := t.trash(r.Stream.Object); err != nil {
		return err
	}
	return t.remove(modelsName, []byte(name))
}

// modelsOf lists the models of a graph by name.
func (t *tx) modelsOf(graph uint64) ([]string, error) {
	var names []string
	err := t.each(modelsName, func(key, _ []byte) error {
		r, err := t.findModel(string(key))
		if err == nil && r.GraphID == graph {
			names = append(names, string(key))
		}
		return err
	})
	return names, err
}

const remedyModel = "drop the model and train it again"

// checkModels verifies the models and their streams.
func (c *checker) checkModels() error {
	return c.try("models", remedyRestore, func() error {
		return c.tx.each(modelsName, func(key, _ []byte) error {
			name := string(key)
			where := describeModel(name)
			c.report.Records++
			defer c.step()
			return c.try(where, remedyModel, func() error {
				if err := checkName("model", name); err != nil {
					return badRecord("%v", err)
				}
				r, err := c.tx.findModel(name)
				if err != nil {
					return foundDamage(err)
				}
				c.checkGraphOf(where, r.Graph, r.GraphID, r.GraphVersion)
				return c.checkBlob(where, remedyModel, r.Stream)
			})
		})
	})
}

// checkGraphOf verifies that something fits its graph.
func (c *checker) checkGraphOf(where, graph string, id, version uint64) {
	g, found := c.graphs[id]
	switch {
	case !found:
		c.fault(where+", graph", fmt.Sprintf("%q is not there", graph), remedyRestore)
	case c.names[id] != graph:
		c.fault(where+", graph", fmt.Sprintf("is called %q, not %q", c.names[id], graph), remedyRestore)
	case version > g.Version:
		c.fault(where+", graph", fmt.Sprintf("has reached version %d, not %d", g.Version, version), remedyRestore)
	}
}

// copyModels copies the models, and has refer note their streams.
func (t *tx) copyModels(w *storeWriter, refer func(object uint64, where string)) error {
	if t.root.Bucket(modelsName) == nil {
		return nil
	}
	if err := w.into(modelsName); err != nil {
		return err
	}
	return t.each(modelsName, func(key, record []byte) error {
		r, err := t.findModel(string(key))
		if err != nil {
			return err
		}
		refer(r.Stream.Object, describeModel(string(key)))
		return w.put(key, record)
	})
}

// copyModels copies the entries of the models that a recovery finds.
func (s *salvage) copyModels() error {
	if _, known := s.tops[string(modelsName)]; !known {
		return nil
	}
	if err := s.to.into(modelsName); err != nil {
		return err
	}
	return s.top(modelsName, func(e found) error {
		var r modelRecord
		where := describeModel(clip(string(e.key)))
		if err := decodeStruct(seedOf(modelsName), e.key, e.value, &r); err != nil {
			s.losses.add(where+", catalogue entry", err)
			return nil
		}
		s.owners[r.Stream.Object] = where
		s.nextID = max(s.nextID, r.Stream.Object+1)
		return s.to.put(e.key, e.value)
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
	return m.db.mendIn(ctx, func(t *tx) error {
		var bad []string
		var moved []movedModel
		err := t.each(modelsName, func(key, record []byte) error {
			name := string(key)
			r := new(modelRecord)
			if err := decodeStruct(seedOf(modelsName), key, record, r); err != nil || m.damaged(describeModel(name)) {
				bad = append(bad, name)
				return nil
			}
			g, err := t.findGraph(r.Graph)
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
				err = t.put(modelsName, []byte(one.name), one.record)
			}
		}
		for _, name := range bad {
			if err == nil {
				err = t.remove(modelsName, []byte(name))
			}
			m.lose(describeModel(name), "is left out; train it again")
		}
		return err
	})
}

// damaged reports whether a check found a fault in the record or the stream of the
// thing of this name.
func (m *mender) damaged(where string) bool {
	return slices.ContainsFunc(m.faults, func(f Fault) bool { return f.Where == where })
}
