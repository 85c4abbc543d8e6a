package query

import (
	"heavytail/index"
	"heavytail/query/parser"
)

// This file binds CREATE INDEX and DROP INDEX.

// indexOptions are the options of CREATE INDEX.
func indexOptions() []OptionInfo {
	var metrics []string
	for _, m := range index.Metrics() {
		metrics = append(metrics, m.String())
	}
	return []OptionInfo{
		{Name: "metric", Type: "text", Default: "'l2'", Choices: metrics, Doc: "the metric of the searches that use it"},
		{Name: "m", Type: "int", Default: "16", Doc: "links of a vertex, 2 to 100: more find more in many dimensions, and take more space"},
		{Name: "ef_construction", Type: "int", Default: "200", Doc: "candidates that links are chosen from, up to 10000: building takes time by it"},
		{Name: "ef", Type: "int", Default: "0", Doc: "candidates that a search keeps: more find more and take longer; 0 is the least power of two up to 512 that finds 99 % of the 10 nearest"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the levels; the same seed gives the same index"},
	}
}

func (b *binder) createIndexStatement(s *parser.CreateIndex) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	set, err := b.settings("CREATE INDEX", indexOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	op := &createIndexOp{req: CreateIndexRequest{Embedding: s.Embedding.Name, Seed: set.seed()}, background: s.Background}
	if text := set.text("metric"); text != "" {
		if op.req.Metric, err = index.ParseMetric(text); err != nil {
			return nil, err
		}
	}
	for _, o := range []struct {
		name        string
		least, most int64
		to          *int
	}{{"m", 2, 100, &op.req.M}, {"ef_construction", 1, 10_000, &op.req.EfConstruction}, {"ef", 0, 1 << 31, &op.req.Ef}} {
		value, err := set.within(o.name, o.least, o.most)
		if err != nil {
			return nil, err
		}
		*o.to = int(value)
	}
	op.info, err = b.resolveCreateIndex(op.req)
	return op, err
}

func (b *binder) dropIndexStatement(s *parser.DropIndex) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	return &dropIndexOp{s.Embedding.Name}, b.checkDropIndex(s.Embedding.Name)
}
