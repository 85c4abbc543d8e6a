package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// A model scores links of a graph. Its record lies under its name, and what it has
// learned is a stream:
//
//	models / name                      catalogue entry (msgpack)
//
// It belongs to its graph and is dropped with it. It refers to the embeddings that it
// reads by name, method and options. Those that were computed for it alone are its own: they are
// dropped with it. If another one is dropped the model stays, and names the
// embedding that it needs. The content of the stream is known only to its writer.

// ModelInfo is the catalogue entry of a model: everything that shaped it, and how well
// it predicted pairs that were held out of its training.
type ModelInfo struct {
	Name         string `json:"name"`
	Graph        string `json:"graph"`         // name of the graph
	GraphID      uint64 `json:"graph_id"`      // number of the graph; 0 in PutModel means the graph with the name
	GraphVersion uint64 `json:"graph_version"` // version of the graph that it learned from

	Embeddings []ModelEmbedding `json:"embeddings,omitempty"` // that it reads, in the order of its stream

	Terms   []string  `json:"terms"`   // features of a pair, by name
	Options []Setting `json:"options"` // of the training, after defaults
	Kernel  string    `json:"kernel"`  // vec.Kind() of the machine that trained it

	// Measures on the held-out pairs.
	AUC float64 `json:"auc"`
	// AUCLow and AUCHigh are the ends of the interval in which the AUC of as many other held-out
	// pairs is in 95 of 100 cases; both are 0 in models of earlier versions.
	AUCLow  float64 `json:"auc_low,omitempty"`
	AUCHigh float64 `json:"auc_high,omitempty"`
	// AUCConnected is the AUC without pairs of which a vertex has no edge but hidden ones, and Isolated
	// the fraction of the hidden edges that are such pairs.
	AUCConnected     float64            `json:"auc_connected"`
	Isolated         float64            `json:"isolated"`
	AveragePrecision float64            `json:"average_precision"`
	Ranking          ModelRanking       `json:"ranking"`
	Brier            float64            `json:"brier"`             // mean squared error of the probability
	CalibrationError float64            `json:"calibration_error"` // mean difference between probability and fraction of edges, over the bins
	Bins             []CalibrationBin   `json:"bins"`              // ascending
	Heuristics       []HeuristicMeasure `json:"heuristics"`        // each alone, on the same pairs
	// ByNegatives are the measures by other kinds of pairs without an edge than random
	// ones; none if only random ones were drawn, and in models of earlier versions.
	ByNegatives   []NegativeMeasure `json:"by_negatives,omitempty"`
	TrainingPairs int               `json:"training_pairs"`
	TestPairs     int               `json:"test_pairs"`

	Seconds float64   `json:"seconds"` // time that the training took
	Created time.Time `json:"created"`
	Bytes   int64     `json:"bytes"` // of the stream
}

// ModelEmbedding is an embedding that a model reads.
type ModelEmbedding struct {
	Name       string    `json:"name" msgpack:"name"`
	Generation uint64    `json:"generation" msgpack:"generation"` // when the model was trained
	Method     string    `json:"method" msgpack:"method"`
	Settings   []Setting `json:"settings" msgpack:"settings"` // options of the method, after defaults
	// Own reports that it was computed for the model, and is dropped with it.
	Own bool `json:"own" msgpack:"own"`
}

// ModelRanking is how well a model recommends ten links to each vertex of a sample. Every field is a
// mean over the vertices with the ends of its 95 % interval.
type ModelRanking struct {
	MAP    [3]float64 `json:"map" msgpack:"map"`
	Recall [3]float64 `json:"recall" msgpack:"recall"`
	// The differences to the scorer that alone has the highest figure, with intervals that allow for this choice.
	MAPGain    [3]float64 `json:"map_gain" msgpack:"map_gain"`
	RecallGain [3]float64 `json:"recall_gain" msgpack:"recall_gain"`
	Vertices   int        `json:"vertices" msgpack:"vertices"` // in the sample
}

// Own lists the embeddings that were computed for the model.
func (m *ModelInfo) Own() []string {
	var names []string
	for _, e := range m.Embeddings {
		if e.Own {
			names = append(names, e.Name)
		}
	}
	return names
}

// ReadsEmbedding reports whether the model reads the embedding of a name.
func (m *ModelInfo) ReadsEmbedding(name string) bool { return reads(m.Embeddings, name) != nil }

func reads(list []ModelEmbedding, embedding string) *ModelEmbedding {
	for i := range list {
		if list[i].Name == embedding {
			return &list[i]
		}
	}
	return nil
}

// CalibrationBin compares the predicted probability of similar pairs with the fraction
// of them that were edges.
type CalibrationBin struct {
	Pairs     int     `json:"pairs"`
	Predicted float64 `json:"predicted"` // mean probability
	Observed  float64 `json:"observed"`  // fraction of the pairs that were edges
}

// HeuristicMeasure is how well one score alone separates held-out edges from other
// pairs.
type HeuristicMeasure struct {
	Name             string  `json:"name" msgpack:"name"`
	AUC              float64 `json:"auc" msgpack:"auc"`
	AveragePrecision float64 `json:"average_precision" msgpack:"average_precision"`
	// MAP and Recall are of ten recommendations to each vertex of a sample; 0 where they were not measured.
	MAP    float64 `json:"map,omitempty" msgpack:"map,omitempty"`
	Recall float64 `json:"recall,omitempty" msgpack:"recall,omitempty"`
	// The same figures on a random graph with the same degrees, where only the degrees can be
	// predicted; both are 0 if they were not measured.
	NullAUC              float64 `json:"null_auc,omitempty" msgpack:"null_auc,omitempty"`
	NullAveragePrecision float64 `json:"null_average_precision,omitempty" msgpack:"null_average_precision,omitempty"`
}

// NegativeMeasure is how well a model separates held-out edges from other pairs of one
// kind.
type NegativeMeasure struct {
	Negatives string  `json:"negatives"` // the kind, such as degree
	Pairs     int     `json:"pairs"`     // edges included
	AUC       float64 `json:"auc"`
	// AUCLow and AUCHigh are the ends of the interval in which the AUC of as many other held-out
	// pairs is in 95 of 100 cases; both are 0 in models of earlier versions.
	AUCLow               float64            `json:"auc_low,omitempty"`
	AUCHigh              float64            `json:"auc_high,omitempty"`
	AveragePrecision     float64            `json:"average_precision"`
	NullAUC              float64            `json:"null_auc,omitempty"` // as in HeuristicMeasure
	NullAveragePrecision float64            `json:"null_average_precision,omitempty"`
	Heuristics           []HeuristicMeasure `json:"heuristics"` // each alone, on the same pairs
}

// modelRecord is a ModelInfo as it is stored. Times are nanoseconds of Unix time.
type modelRecord struct {
	Graph        string           `msgpack:"graph"`
	GraphID      uint64           `msgpack:"graph_id"`
	GraphVersion uint64           `msgpack:"graph_version"`
	Embeddings   []ModelEmbedding `msgpack:"embeddings,omitempty"`
	Terms        []string         `msgpack:"terms"`
	Options      []Setting        `msgpack:"options"`
	Kernel       string           `msgpack:"kernel"`

	AUC              float64            `msgpack:"auc"`
	AUCLow           float64            `msgpack:"auc_low,omitempty"`
	AUCHigh          float64            `msgpack:"auc_high,omitempty"`
	AUCConnected     float64            `msgpack:"auc_connected"`
	Isolated         float64            `msgpack:"isolated"`
	AveragePrecision float64            `msgpack:"average_precision"`
	Ranking          ModelRanking       `msgpack:"ranking"`
	Brier            float64            `msgpack:"brier"`
	CalibrationError float64            `msgpack:"calibration_error"`
	Bins             []binRecord        `msgpack:"bins"`
	Heuristics       []HeuristicMeasure `msgpack:"heuristics"`
	ByNegatives      []negativeRecord   `msgpack:"by_negatives,omitempty"`
	TrainingPairs    uint64             `msgpack:"training_pairs"`
	TestPairs        uint64             `msgpack:"test_pairs"`

	Seconds float64         `msgpack:"seconds"`
	Created int64           `msgpack:"created"`
	Stream  tree.BlobRecord `msgpack:"stream"`
}

type binRecord struct {
	Pairs     uint64  `msgpack:"pairs"`
	Predicted float64 `msgpack:"predicted"`
	Observed  float64 `msgpack:"observed"`
}

type negativeRecord struct {
	Negatives            string             `msgpack:"negatives"`
	Pairs                uint64             `msgpack:"pairs"`
	AUC                  float64            `msgpack:"auc"`
	AUCLow               float64            `msgpack:"auc_low,omitempty"`
	AUCHigh              float64            `msgpack:"auc_high,omitempty"`
	AveragePrecision     float64            `msgpack:"average_precision"`
	NullAUC              float64            `msgpack:"null_auc,omitempty"`
	NullAveragePrecision float64            `msgpack:"null_average_precision,omitempty"`
	Heuristics           []HeuristicMeasure `msgpack:"heuristics"`
}

func (m *ModelInfo) record() modelRecord {
	r := modelRecord{
		Graph: m.Graph, GraphID: m.GraphID, GraphVersion: m.GraphVersion,
		Embeddings: copied(m.Embeddings), AUCConnected: m.AUCConnected, Isolated: m.Isolated, Ranking: m.Ranking,
		Terms: m.Terms, Options: copied(m.Options), Kernel: m.Kernel,
		AUC: m.AUC, AUCLow: m.AUCLow, AUCHigh: m.AUCHigh, AveragePrecision: m.AveragePrecision, Brier: m.Brier, CalibrationError: m.CalibrationError,
		Heuristics: copied(m.Heuristics), TrainingPairs: uint64(m.TrainingPairs), TestPairs: uint64(m.TestPairs), Seconds: m.Seconds,
	}
	for _, b := range m.Bins {
		r.Bins = append(r.Bins, binRecord{uint64(b.Pairs), b.Predicted, b.Observed})
	}
	for _, n := range m.ByNegatives {
		r.ByNegatives = append(r.ByNegatives, negativeRecord{
			n.Negatives, uint64(n.Pairs), n.AUC, n.AUCLow, n.AUCHigh, n.AveragePrecision, n.NullAUC, n.NullAveragePrecision, copied(n.Heuristics),
		})
	}
	return r
}

// info is the entry as the caller gets it.
func (r *modelRecord) info(name string) ModelInfo {
	m := ModelInfo{
		Name: name, Graph: r.Graph, GraphID: r.GraphID, GraphVersion: r.GraphVersion,
		AUCConnected: r.AUCConnected, Isolated: r.Isolated, Ranking: r.Ranking,
		Terms: slices.Clone(r.Terms), Options: copied(r.Options), Kernel: r.Kernel,
		AUC: r.AUC, AUCLow: r.AUCLow, AUCHigh: r.AUCHigh, AveragePrecision: r.AveragePrecision, Brier: r.Brier, CalibrationError: r.CalibrationError,
		Heuristics: copied(r.Heuristics), TrainingPairs: int(r.TrainingPairs), TestPairs: int(r.TestPairs),
		Seconds: r.Seconds, Created: time.Unix(0, r.Created), Bytes: int64(r.Stream.Size),
	}
	for _, e := range r.Embeddings {
		e.Settings = copied(e.Settings)
		m.Embeddings = append(m.Embeddings, e)
	}
	for _, b := range r.Bins {
		m.Bins = append(m.Bins, CalibrationBin{int(b.Pairs), b.Predicted, b.Observed})
	}
	for _, n := range r.ByNegatives {
		m.ByNegatives = append(m.ByNegatives, NegativeMeasure{
			n.Negatives, int(n.Pairs), n.AUC, n.AUCLow, n.AUCHigh, n.AveragePrecision, n.NullAUC, n.NullAveragePrecision, copied(n.Heuristics),
		})
	}
	return m
}

// Validate refuses values that no model can have.
func (r *modelRecord) Validate(size int64) error {
	shares := []float64{r.AUC, r.AUCLow, r.AUCHigh, r.AUCConnected, r.Isolated, r.AveragePrecision, r.Brier, r.CalibrationError}
	for _, b := range r.Bins {
		shares = append(shares, b.Predicted, b.Observed)
		if b.Pairs > maxPairs {
			return fault.Record("model measured on %d pairs", b.Pairs)
		}
	}
	heuristics := r.Heuristics
	for _, n := range r.ByNegatives {
		shares, heuristics = append(shares, n.AUC, n.AUCLow, n.AUCHigh, n.AveragePrecision, n.NullAUC, n.NullAveragePrecision), append(slices.Clip(heuristics), n.Heuristics...)
		if n.Pairs > maxPairs {
			return fault.Record("model measured on %d pairs", n.Pairs)
		}
	}
	for _, h := range heuristics {
		shares = append(shares, h.AUC, h.AveragePrecision, h.MAP, h.Recall, h.NullAUC, h.NullAveragePrecision)
	}
	if i := slices.IndexFunc(shares, func(x float64) bool { return !isShare(x) }); i >= 0 {
		return fault.Record("model with a measure of %v", shares[i])
	}
	for _, e := range r.Embeddings {
		if e.Name == "" || e.Generation == 0 {
			return fault.Record("model of generation %d of embedding %q", e.Generation, fault.Clip(e.Name))
		}
	}
	if r.GraphID == 0 || r.GraphVersion == 0 ||
		r.TrainingPairs > maxPairs || r.TestPairs > maxPairs || math.IsNaN(r.Seconds) || r.Stream.Object == 0 {
		return fault.Record("model of version %d of graph %d, with %d pairs", r.GraphVersion, r.GraphID, r.TrainingPairs)
	}
	return r.Stream.Validate(size)
}

// maxPairs bounds numbers of pairs, which fit an int everywhere.
const maxPairs = math.MaxInt32

func describeModel(name string) string { return fmt.Sprintf("model %q", name) }

var modelKind = artefact[modelRecord]{
	bucket: block.ModelsName, name: "model", shortest: 1, longest: block.MaxName,
	remedy:   "drop the model and train it again",
	describe: func(_ *tree.Tx, key []byte) string { return describeModel(fault.Clip(string(key))) },
	called:   func(key []byte) string { return string(key) },
	validate: (*modelRecord).Validate,
	stream:   func(r *modelRecord) *tree.BlobRecord { return &r.Stream },
	verify: func(c *verify.Checker, where string, key []byte, r *modelRecord) error {
		if err := block.CheckName("model", string(key)); err != nil {
			return fault.Record("%v", err)
		}
		c.CheckGraphOf(where, r.Graph, r.GraphID, r.GraphVersion)
		return nil
	},
	measure: func(out *Stats, _ *tree.Tx, key []byte, _ *modelRecord, bytes int64) {
		out.Models = append(out.Models, ModelStats{Name: string(key), Bytes: bytes})
	},
}

// PutModel stores a model of the graph info.Graph with the bytes that write writes, and
// returns its entry. Name, Graph, GraphVersion and what describes the model must be set
// in info; Created and Bytes are set here. It replaces the model with this name in one
// step, and drops its own embeddings that the new one does not read, if that is of the same graph; otherwise it is ErrExists.
// The embeddings of own appear in the same step, as by PutEmbeddingState, and so do their generations in info.Embeddings:
// if the call fails or the process ends, there is neither the model nor any of them. If GraphID is given and
// the name belongs to another graph by now, it is ErrConflict. Without bytes, or with
// measures outside of 0 to 1, it is ErrInvalid.
func (db *DB) PutModel(ctx context.Context, info ModelInfo, write func(w io.Writer) error, own ...NewEmbedding) (ModelInfo, error) {
	ctx = tree.OrBackground(ctx)
	if err := block.CheckName("model", info.Name); err != nil {
		return ModelInfo{}, err
	}
	w, err := db.writeStream(ctx, describeModel(info.Name), write)
	if err != nil {
		return ModelInfo{}, err
	}
	defer w.Abandon(ctx)
	m := modelWriter{db: db, name: info.Name, record: info.record(), stream: w}
	for _, e := range own {
		of, err := db.newEmbeddingWriter(ctx, e)
		if err != nil {
			return ModelInfo{}, err
		}
		defer of.state.Abandon(ctx)
		of.later = true
		m.own = append(m.own, of)
	}
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		return ModelInfo{}, err
	}
	defer unlock()
	if err := m.run(ctx); err != nil {
		return ModelInfo{}, err
	}
	return m.record.info(info.Name), db.file.Unfreed(db.file.Sweep(ctx))
}

// modelWriter writes a model with its own embeddings. The caller holds the writer's lock.
type modelWriter struct {
	db     *DB
	name   string
	record modelRecord
	stream *tree.BlobWriter
	own    []*embeddingWriter
}

func (m *modelWriter) run(ctx context.Context) (err error) {
	m.record.Created = time.Now().UnixNano()
	for i, e := range m.own {
		if err = e.run(ctx); err != nil { // it has abandoned what it has written
			m.abandon(ctx, m.own[:i])
			return err
		}
	}
	err = m.db.file.Update(ctx, func(t *tree.Tx) error {
		if err := placeModel(t, m.name, &m.record); err != nil {
			return err
		}
		for _, e := range m.own {
			if err := e.publish(t); err != nil {
				return err
			}
			if of := reads(m.record.Embeddings, e.name); of != nil {
				of.Generation = e.record.Generation
			}
		}
		return modelKind.publish(t, []byte(m.name), &m.record, m.stream)
	})
	if err != nil {
		m.abandon(ctx, m.own)
	}
	return err
}

func (m *modelWriter) abandon(ctx context.Context, written []*embeddingWriter) {
	for _, e := range written {
		e.abandon(ctx)
	}
}

// placeModel checks a new model against its graph, and removes the model that has its
// name.
func placeModel(t *tree.Tx, name string, r *modelRecord) error {
	g, err := graphs.Find(t, r.Graph)
	if err != nil {
		return err
	}
	if r.GraphID != 0 && r.GraphID != g.ID {
		return fmt.Errorf("%s: graph %q was dropped and created again since the model was trained: %w", describeModel(name), r.Graph, ErrConflict)
	}
	if r.GraphVersion > g.Version {
		return fmt.Errorf("%s: graph %q has version %d, not %d: %w", describeModel(name), r.Graph, g.Version, r.GraphVersion, ErrInvalid)
	}
	r.GraphID = g.ID
	old, err := findModel(t, name)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case old.GraphID != g.ID:
		return fmt.Errorf("model %q belongs to graph %q: %w", name, old.Graph, ErrExists)
	}
	if err := dropOwn(t, old, r.Embeddings); err != nil {
		return err
	}
	return t.Discard(old.Stream.Object)
}

func findModel(t *tree.Tx, name string) (*modelRecord, error) { return modelKind.find(t, []byte(name)) }

// ModelInfo returns the catalogue entry of a model.
func (db *DB) ModelInfo(ctx context.Context, name string) (ModelInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (ModelInfo, error) {
		r, err := findModel(t, name)
		if err != nil {
			return ModelInfo{}, err
		}
		return r.info(name), nil
	})
}

// Model returns the catalogue entry of a model and a reader of its bytes; if the model
// is replaced or dropped while they are read, the reader returns ErrConflict.
func (db *DB) Model(ctx context.Context, name string) (ModelInfo, io.Reader, error) {
	var info ModelInfo
	reader, err := viewed(ctx, db, func(t *tree.Tx) (io.Reader, error) {
		r, err := findModel(t, name)
		if err != nil {
			return nil, err
		}
		info = r.info(name)
		return modelKind.open(t, db, []byte(name), r)
	})
	return info, reader, err
}

// Models lists the models by name. If records are damaged, it lists the others and
// returns a PartialError that names them.
func (db *DB) Models(ctx context.Context) ([]ModelInfo, error) {
	return listed(ctx, db, &modelKind, func(_ *tree.Tx, key []byte, r *modelRecord) (ModelInfo, bool) { return r.info(string(key)), true })
}

// DropModel removes a model with its own embeddings. If its record is damaged, its stream stays until the next
// compaction.
func (db *DB) DropModel(ctx context.Context, name string) error {
	return db.file.Change(ctx, func(t *tree.Tx) error {
		r, err := findModel(t, name)
		if errors.Is(err, ErrNotFound) {
			return err
		}
		if err == nil {
			if err := dropOwn(t, r, nil); err != nil {
				return err
			}
		}
		return modelKind.drop(t, []byte(name))
	})
}

// dropOwn removes the own embeddings of a model that are not in a list.
func dropOwn(t *tree.Tx, r *modelRecord, kept []ModelEmbedding) error {
	for _, e := range r.Embeddings {
		if !e.Own || reads(kept, e.Name) != nil {
			continue
		}
		of, err := findEmbedding(t, e.Name)
		if errors.Is(err, ErrNotFound) || err == nil && of.GraphID != r.GraphID {
			continue
		}
		if err := dropEmbedding(t, e.Name); err != nil {
			return err
		}
	}
	return nil
}

func modelsOf(t *tree.Tx, graph uint64) ([]string, error) {
	var names []string
	damaged, err := modelKind.valid(t, nil, func(key []byte, r *modelRecord) {
		if r.GraphID == graph {
			names = append(names, string(key))
		}
	})
	return names, errors.Join(err, damaged)
}
