package query

import (
	"fmt"
	"math"

	"heavytail/query/parser"
)

// This file binds the statements about the generations of an embedding.

// refreshOptions are the options of REFRESH.
func refreshOptions() []OptionInfo {
	return []OptionInfo{{Name: "tolerance", Type: "float", Default: fmt.Sprint(refreshTolerance),
		Doc: "residual of an eigenpair, relative to the largest eigenvalue, above which a spectral embedding is solved in full"}}
}

func (b *binder) refreshStatement(s *parser.Refresh) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	set, err := b.settings("REFRESH", refreshOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	op := &refreshOp{req: RefreshRequest{Embedding: s.Embedding.Name}, background: s.Background}
	if tolerance, given := set["tolerance"]; given {
		if op.req.Tolerance = tolerance.(float64); !(op.req.Tolerance > 0) {
			return nil, mistake(partOption("tolerance"), "option tolerance is %v, and must be above 0 and at most 0.5", tolerance)
		}
	}
	if op.info, op.graph, err = b.resolveRefresh(op.req); err != nil {
		return nil, err
	}
	op.changes, err = b.db.store.Changes(b.ctx, op.info.Graph, op.info.GraphVersion)
	return op, err
}

func (b *binder) autoRefreshStatement(s *parser.AutoRefresh) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	op := &autoRefreshOp{embedding: s.Embedding.Name}
	switch {
	case s.Changes != nil:
		b.mark(partAuto, s.Changes)
		n, err := b.size(partAuto, s.Changes)
		if err != nil {
			return nil, err
		}
		if op.auto.Changes = n; n < 1 {
			return nil, mistake(partAuto, "the number of changes is %d, and must be positive", n)
		}
	case s.Every != nil:
		b.mark(partAuto, s.Every)
		text, err := b.text(partAuto, s.Every)
		if err != nil {
			return nil, err
		}
		if op.auto.Every, err = duration(partAuto, text); err != nil {
			return nil, err
		}
	}
	_, err := b.resolveAutoRefresh(op.embedding, op.auto)
	return op, err
}

// partAuto is when an embedding is refreshed by itself.
const partAuto part = "auto refresh"

// verifyOptions are the options of VERIFY.
func verifyOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "sample", Type: "int", Default: "1000", Doc: "vertices whose neighbours are compared, and a tenth of the edges that are told from other pairs"},
		{Name: "seed", Type: "int", Default: "0", Doc: "of the sample"},
	}
}

func (b *binder) verifyStatement(s *parser.Verify) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	set, err := b.settings("VERIFY", verifyOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	sample, err := set.within("sample", 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	op := &verifyOp{req: VerifyRequest{Embedding: s.Embedding.Name, Sample: int(sample), Seed: uint64(set.integer("seed"))}, background: s.Background}
	op.found, err = b.resolveVerify(op.req)
	return op, err
}

func (b *binder) showGenerationsStatement(s *parser.ShowGenerations) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	info, err := b.embeddingInfo(s.Embedding.Name, partEmbedding)
	return &showGenerationsOp{info.Name}, err
}

func (b *binder) diffStatement(s *parser.Diff) (operation, error) {
	b.mark(partBefore, s.Before)
	b.mark(partEmbedding, s.After)
	op := &diffOp{req: DiffRequest{Before: s.Before.Name, After: s.After.Name}}
	var err error
	if op.req.Limit, err = b.rowLimit(s.Limit); err != nil {
		return nil, err
	}
	op.before, op.after, err = b.resolveDiff(op.req)
	return op, err
}
