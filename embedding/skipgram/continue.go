package skipgram

import (
	"context"
	"fmt"
	"time"
)

// Continue trains a model on more walks, once each, at the constant learning rate Alpha,
// so that the model follows changes of the graph. It overwrites the model. Dim is that of
// the model; Epochs, Checkpoints and From are ignored. Cost and options are those of
// Train. The same model, corpus and options give the same result with any number of
// workers.
func Continue(ctx context.Context, m *Model, c Corpus, o Options) (Stats, error) {
	o.Dim = max(m.Vectors.Dim, 1)
	if err := o.Validate(); err != nil {
		return Stats{}, err
	}
	o = o.WithDefaults()
	o.Epochs, o.Checkpoints, o.From = 1, Checkpoints{}, nil
	if (m.Children == nil) != (o.Negative > 0) || m.Vectors.Rows != c.Vertices {
		return Stats{}, fmt.Errorf("%w: %d vertices and %d inner nodes, for %d vertices and %d answers", ErrState, m.Vectors.Rows, len(m.Children), c.Vertices, o.Negative)
	}
	if c.Walks == 0 || c.Vertices < 2 {
		return Stats{}, nil
	}
	started := time.Now()
	t := newTrainer(c, o)
	t.constant = true
	if m.Children != nil {
		t.tree = m.tree()
	}
	t.at.Visits = make([]int64, c.Vertices)
	if err := t.count(ctx); err != nil {
		return Stats{}, err
	}
	for _, visits := range t.at.Visits {
		t.total += visits
	}
	t.at.Visits = m.Visits
	t.allocate(nil)
	t.restore(t.in, m.Vectors.Panel(0, t.Dim))
	t.restore(t.out, m.Nodes.Panel(0, t.Dim))
	t.prepare()
	if err := t.epoch(ctx); err != nil {
		return t.stats(), err
	}
	for v := range c.Vertices {
		copy(m.Vectors.Row(v), t.in[v*t.stride:])
	}
	for i := range m.Nodes.Rows {
		copy(m.Nodes.Row(i), t.out[i*t.stride:])
	}
	stats := t.stats()
	stats.Seconds = time.Since(started).Seconds()
	stats.VisitsPerSecond = float64(t.total) / stats.Seconds
	return stats, nil
}
