package query

import (
	"context"
	"errors"
	"fmt"

	"heavytail/embedding/link"
	"heavytail/storage"
)

// ModelDescription tells everything that shaped a model, how good it was on the
// pairs held out, and what has moved on since.
type ModelDescription struct {
	ModelInfo
	Behind  uint64 // versions of the graph since, without those that changed attributes only
	Weights []link.Weight
	// Reads says what became of the embedding.
	Reads ModelReads
	Now   storage.EmbeddingInfo // of the embedding; zero where it is gone, or none is read
}

// ModelReads says what became of the embedding that a model reads.
type ModelReads string

// The states.
const (
	NoEmbedding        ModelReads = "none is read"
	EmbeddingSame      ModelReads = "as it was"
	EmbeddingRefreshed ModelReads = "refreshed since, in the same coordinates"
	EmbeddingOther     ModelReads = "computed anew, so that the model has to be trained again"
	EmbeddingGone      ModelReads = "dropped, so that the model has to be trained again"
)

// DescribeModel tells the provenance of a model and its measures.
func (db *DB) DescribeModel(ctx context.Context, model string) (ModelDescription, error) {
	c, err := db.begin(ctx, "DESCRIBE MODEL")
	if err != nil {
		return ModelDescription{}, err
	}
	defer c.end()
	d, err := c.describeModel(model)
	return d, c.wrap(err)
}

func (c *call) describeModel(model string) (ModelDescription, error) {
	info, m, err := c.readModel(model, partModel)
	if err != nil {
		return ModelDescription{}, err
	}
	d := ModelDescription{ModelInfo: info, Weights: m.Weights(), Reads: NoEmbedding}
	if d.Behind, err = c.behind(info.Graph, info.GraphVersion); err != nil {
		return ModelDescription{}, err
	}
	if info.Embedding == "" {
		return d, nil
	}
	d.Now, err = c.db.store.EmbeddingInfo(c.ctx, info.Embedding)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		d.Reads = EmbeddingGone
	case err != nil:
		return ModelDescription{}, err
	case !d.Now.Coordinates.Equal(info.Coordinates):
		d.Reads = EmbeddingOther
	case d.Now.Generation != info.Generation:
		d.Reads = EmbeddingRefreshed
	default:
		d.Reads = EmbeddingSame
	}
	return d, nil
}

// rows is the table of DESCRIBE MODEL.
func (d ModelDescription) rows() [][]Value {
	table := [][]Value{
		property("model", d.Name),
		property("graph", d.Graph),
		property("graph version", int64(d.GraphVersion)),
		property("versions behind", int64(d.Behind)),
		property("embedding", string(d.Reads)),
	}
	if d.Embedding != "" {
		table = append(table,
			property("embedding name", d.Embedding),
			property("embedding generation", int64(d.Generation)),
			property("embedding method", d.Method))
		for _, o := range d.Settings {
			table = append(table, property("embedding option "+o.Name, o.Value))
		}
	}
	for _, o := range d.Options {
		table = append(table, property("option "+o.Name, o.Value))
	}
	table = append(table,
		property("training pairs", int64(d.TrainingPairs)),
		property("test pairs", int64(d.TestPairs)),
		property("auc", d.AUC),
		property("average precision", d.AveragePrecision),
		property("brier", d.Brier),
		property("calibration error", d.CalibrationError))
	for _, b := range d.Bins {
		table = append(table, property(fmt.Sprintf("calibration at %.4f", b.Predicted), fmt.Sprintf("%.4f of %s", b.Observed, count(int64(b.Pairs), "pair"))))
	}
	for _, h := range d.Heuristics {
		table = append(table, property("auc of "+h.Name+" alone", h.AUC))
	}
	for _, w := range d.Weights {
		if w.Embedding {
			table = append(table, property("weights of "+w.Name, fmt.Sprintf("%s, of norm %.4g", count(int64(w.Values), "value"), w.Weight)))
			continue
		}
		table = append(table, property("weight of "+w.Name, w.Weight))
	}
	return append(table,
		property("seconds", d.Seconds),
		property("kernel", d.Kernel),
		property("created", timestamp(d.Created)),
		property("bytes", d.Bytes))
}
