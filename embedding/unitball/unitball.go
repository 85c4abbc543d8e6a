package unitball

import (
	"context"
	"fmt"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Stats describe a finished run.
type Stats struct {
	Wrong   Wrong   // wrong pairs of the returned rows, counted by Check
	Passes  int     // passes that were made, including those before a checkpoint
	Joins   int     // lists of near pairs that were built since the run or its checkpoint began
	Reason  string  // why it ended
	Seconds float64 // since the run or its checkpoint began
}

// Reasons why a run ended.
const (
	ReasonExact     = "no pair is wrong"
	ReasonTolerated = "the wrong pairs are within the tolerance"
	ReasonPasses    = "all passes were made"
)

// Embed places the vertices of g so that the vertices within distance 1 of each vertex
// are its neighbours, with as few exceptions as it can find; see the package
// documentation. Row v belongs to vertex v. Errors: ErrOptions, ErrStart, ErrCheckpoint
// for a checkpoint, that of Save, or that of ctx.
func Embed(ctx context.Context, g *csr.Graph, o Options) (*vec.Matrix, Stats, error) {
	return place(ctx, g, o, manyVertices)
}

// place is Embed for tests, which have fewer vertices that are many.
func place(ctx context.Context, g *csr.Graph, o Options, many int) (*vec.Matrix, Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, Stats{}, err
	}
	began := time.Now()
	r, err := newRun(g, o.WithDefaults(), many)
	if err != nil {
		return nil, Stats{}, err
	}
	stats := Stats{}
	if stats.Reason, err = r.passes(ctx); err != nil {
		return nil, Stats{}, err
	}
	if stats.Wrong, err = r.certify(ctx); err != nil {
		return nil, Stats{}, fmt.Errorf("certificate: %w", err)
	}
	stats.Passes, stats.Joins, stats.Seconds = r.pass, r.near.built, time.Since(began).Seconds()
	return r.result(), stats, nil
}

// result returns the best rows in the order of the graph.
func (r *run) result() *vec.Matrix {
	if r.order == nil {
		return r.best
	}
	rows := r.gradients // they are not used any more
	for v, u := range r.order {
		copy(rows.Row(int(u)), r.best.Row(v))
	}
	return rows
}

// newRun returns a run at its beginning, or in the state of a checkpoint. From so many vertices on
// they are many.
func newRun(g *csr.Graph, o Options, many int) (*run, error) {
	n := g.Vertices()
	var order []uint32
	if n >= many {
		order = orderOf(g)
		g = ordered(g, order)
	}
	r := &run{
		g: g, order: order, o: o, n: n, k: o.Dim, mean: vec.NewMatrix(n, o.Dim), square: vec.NewMatrix(n, o.Dim),
		gradients: vec.NewMatrix(n, o.Dim), best: vec.NewMatrix(n, o.Dim),
		weights: make([]float64, n), near: newNearList(g, o.Dim, o.Workers, order != nil), f: newForces(n), step: o.Step,
		bestWrong: Wrong{Edges: g.Edges()}, // also in a checkpoint of a run that is stopped in its first pass
	}
	if o.Checkpoints.From != nil {
		return r, r.read(o.Checkpoints.From)
	}
	for v := range r.weights {
		r.weights[v] = 1
	}
	var err error
	r.x, err = begin(n, o, order)
	if err == nil && *o.Anchor > 0 {
		r.start = vec.NewMatrix(n, o.Dim)
		copy(r.start.Data, r.x.Data)
	}
	return r, err
}

// passes makes all passes and returns why they ended.
func (r *run) passes(ctx context.Context) (string, error) {
	saved := time.Now()
	for {
		if err := r.look(ctx); err != nil {
			if ctx.Err() != nil {
				return "", r.cancelled(ctx)
			}
			return "", err
		}
		wrong := r.f.wrong
		if r.o.Progress != nil {
			r.o.Progress(r.pass, r.from+r.o.Passes, wrong)
		}
		switch exact := r.near.sure; { // an estimate does not end the run
		case exact && wrong.Pairs() == 0:
			return ReasonExact, nil
		case exact && wrong.Pairs() <= r.o.Tolerance:
			return ReasonTolerated, nil
		case r.pass == r.from+r.o.Passes && r.again():
			r.next()
			continue
		case r.pass == r.from+r.o.Passes:
			return ReasonPasses, nil
		}
		if c := r.o.Checkpoints; c.Save != nil && time.Since(saved) >= c.Every {
			if err := c.Save(r.writeLooked); err != nil {
				return "", fmt.Errorf("checkpoint: %w", err)
			}
			saved = time.Now()
		}
		_, step := r.schedule()
		r.move(step)
		r.pass++
		r.power = nil
	}
}

// certify counts the wrong pairs of the best rows. They may have been chosen by a list of
// pairs that was not sure; if the last rows are better, these take their place.
func (r *run) certify(ctx context.Context) (Wrong, error) {
	wrong, err := Check(ctx, r.g, r.best, r.o.Workers)
	if err == nil && r.near.sure && r.f.wrong.better(wrong) {
		r.keep()
		return Check(ctx, r.g, r.best, r.o.Workers)
	}
	return wrong, err
}

// cancelled saves a last checkpoint.
func (r *run) cancelled(ctx context.Context) error {
	if c := r.o.Checkpoints; c.Save != nil {
		if err := c.Save(r.write); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	return ctx.Err()
}

// look finds the violations of the present rows, and keeps the rows if they are the best so
// far. Where the run would end, it lists all near pairs again unless the list is sure. After
// an error the run has the state that it had before, for a checkpoint.
func (r *run) look(ctx context.Context) error {
	margin, _ := r.schedule()
	due, err := r.near.update(ctx, r.x, 1+margin, r.pass)
	if err != nil {
		return err
	}
	known := -1 // violations in the list as it is
	if r.near.listed && !(due && r.near.Thin > 0) {
		if err := r.measure(ctx, margin); err != nil {
			return err
		}
		known = r.f.violations()
	}
	if due || r.ends() && !r.near.sure && r.near.Thin == 0 {
		if err := r.relist(ctx, margin, known); err != nil {
			return err
		}
	}
	r.near.Looked += r.near.pairs
	if r.pass == 0 || r.f.wrong.better(r.bestWrong) {
		r.keep()
	}
	return nil
}

// ends reports whether the run ends with the present rows, if this pass found all wrong pairs.
func (r *run) ends() bool { return r.f.wrong.Pairs() <= r.o.Tolerance || r.pass == r.from+r.o.Passes }

// relist lists all near pairs again and counts the violations. known is the number of them that
// the last list contained, or -1 if that does not matter. If it lacked many of them, the best
// rows were chosen by unreliable counts, and the present rows replace them. Once the list is
// built, the measurement is not cancelled: the new list must not be saved before it has judged
// the last one.
func (r *run) relist(ctx context.Context, margin float64, known int) error {
	if err := r.near.relist(ctx, r.x, 1+margin, r.step, r.pass, r.ends()); err != nil {
		return err
	}
	if err := r.measure(context.WithoutCancel(ctx), margin); err != nil {
		return err
	}
	if all := r.f.violations(); known >= 0 && r.near.Thin == 0 && r.near.judge(all-known, all) {
		r.keep()
	}
	return nil
}

// keep makes the present rows the best ones.
func (r *run) keep() {
	copy(r.best.Data, r.x.Data)
	r.bestWrong = r.f.wrong
}
