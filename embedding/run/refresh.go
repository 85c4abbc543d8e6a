package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/skipgram"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// RefreshRequest asks for a refresh of an embedding.
type RefreshRequest struct {
	// Name is the name of the embedding. If it was replaced meanwhile, the
	// refresh begins from the new generation.
	Name string
	// Tolerance is the residual, relative to the largest eigenvalue, above which a
	// spectral method solves in full; 0 is embedding.RefreshTolerance.
	Tolerance float64
	Directed  *csr.Directed // as in Request
	Workers   int           // goroutines; 0 is GOMAXPROCS
	Progress  func(stage string, done, total int64)
	// Computed, if not nil, receives the new vectors before they replace those of from,
	// and returns the indexes that are stored with them. An error ends the refresh.
	Computed func(from storage.EmbeddingInfo, vectors *vec.Matrix) ([]storage.NewIndex, error)
}

// Refreshed describes a finished refresh.
type Refreshed struct {
	embedding.RefreshStats
	From     storage.EmbeddingInfo `json:"from"`     // as it was
	To       storage.EmbeddingInfo `json:"to"`       // the embedding after the refresh; equal to From if nothing had changed
	Versions uint64                `json:"versions"` // number of versions of the graph since From that changed edges
}

// Refresh updates an embedding to the snapshot of its graph: from the change log, the
// stored vectors and their state (embedding.RefreshSpectral and RefreshWalks), or in full
// if that is not possible, and stores the result as the next generation. If no edge has
// changed, it stores nothing. If the snapshot is older than the graph or the embedding, or
// the embedding was replaced or dropped during the refresh, the error is
// storage.ErrConflict. For a past generation it is storage.ErrInvalid. Other errors are
// those of Embed.
func Refresh(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req RefreshRequest) (Refreshed, error) {
	r, err := refresh(ctx, db, snap, req)
	if err != nil {
		return Refreshed{}, fmt.Errorf("refresh of embedding %q: %w", req.Name, err)
	}
	return r, nil
}

func refresh(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req RefreshRequest) (Refreshed, error) {
	from, err := db.EmbeddingInfo(ctx, req.Name)
	if err != nil {
		return Refreshed{}, err
	}
	if from.Past {
		return Refreshed{}, fmt.Errorf("a generation that was replaced: %w", storage.ErrInvalid)
	}
	changes, err := db.Changes(ctx, from.Graph, from.GraphVersion)
	if err != nil {
		return Refreshed{}, err
	}
	if changes.To != snap.Info.Version {
		return Refreshed{}, fmt.Errorf("graph %q has version %d, not %d: %w", from.Graph, changes.To, snap.Info.Version, storage.ErrConflict)
	}
	numbers, err := snap.RowsOf(from)
	if err != nil {
		return Refreshed{}, err
	}
	done := Refreshed{From: from, To: from, Versions: changes.Versions}
	if !changes.EdgesChanged {
		done.Reason = "no edge changed"
		return done, nil
	}
	method, err := prepareAgain(from)
	if err != nil {
		return Refreshed{}, err
	}
	computed, err := renew(ctx, db, snap, req, method, &done, renewing{
		info: from, read: func() (*vec.Matrix, error) { return readBefore(ctx, db, from) },
		scan: func(f func(row int, vector []float32)) error { return scanBefore(ctx, db, from, f) }, from: numbers, touched: changes.Touched, turn: int(from.Generation), tolerance: req.Tolerance, progress: req.Progress, stored: storedOf(db, snap),
	}, changes.All)
	if err != nil {
		return Refreshed{}, err
	}
	var indexes []storage.NewIndex
	if req.Computed != nil {
		if indexes, err = req.Computed(from, computed.vectors); err != nil {
			return Refreshed{}, err
		}
	}
	if !done.Full {
		computed.info.Stats = append(computed.info.Stats, began(from)...)
	}
	computed.info.Stats = append(computed.info.Stats, refreshSettings(done.RefreshStats)...)
	// Vectors are rotated onto the old ones; a full run has its own coordinates, unless it
	// returns the same vectors.
	same := !done.Full
	if done.Full {
		if same, err = sameBefore(ctx, db, from, computed.vectors); err != nil {
			return Refreshed{}, err
		}
	}
	if same {
		computed.info.Coordinates = from.Coordinates
	}
	done.To, err = store(ctx, db, snap, from, Request{Name: from.Name, Method: from.Method, Stateless: from.Stateless}, method, computed, indexes...)
	return done, err
}

// renew computes the vectors from the old ones, or in full.
func renew(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req RefreshRequest, method prepared, done *Refreshed, begin renewing, all bool) (outcome, error) {
	reason := ""
	var err error
	switch begin.state, err = db.EmbeddingState(ctx, done.From); {
	case method.follows:
		reason = embedding.ReasonFollows
	case method.renew == nil:
		reason = "a refresh of this method is a full run"
	case all:
		reason = "the change log does not say which vertices changed"
	case done.From.Stateless:
		reason = "the embedding is stored without the state that a refresh needs"
	case errors.Is(err, storage.ErrNotFound):
		reason = "no state is stored with the vectors of the embedding"
	case err != nil:
		return outcome{}, err
	default:
		var computed outcome
		computed, done.RefreshStats, err = method.renew(ctx, snap.Graph, req.Workers, begin)
		if !errors.Is(err, embedding.ErrState) && !errors.Is(err, skipgram.ErrState) {
			return computed, err
		}
		reason = "the stored state does not match the vectors"
	}
	computed, err := method.run(ctx, snap.Graph, Request{Directed: req.Directed, Workers: req.Workers, Progress: req.Progress, Stored: begin.stored})
	done.RefreshStats = embedding.RefreshStats{Full: true, Reason: reason, Touched: len(begin.touched), Seconds: computed.info.Seconds}
	return computed, err
}

// viewBefore calls f with the rows of the generation that a refresh began from.
func viewBefore(ctx context.Context, db *storage.DB, from storage.EmbeddingInfo, f func(v *storage.RowView) error) error {
	return db.ViewRows(ctx, from.Name, func(v *storage.RowView) error {
		if !sameGeneration(v.Info, from) {
			return replaced(from)
		}
		return f(v)
	})
}

func sameGeneration(a, b storage.EmbeddingInfo) bool {
	return a.Generation == b.Generation && a.Created.Equal(b.Created)
}

func replaced(e storage.EmbeddingInfo) error {
	return fmt.Errorf("embedding %q was replaced: %w", e.Name, storage.ErrConflict)
}

// readBefore reads the rows of a generation.
func readBefore(ctx context.Context, db *storage.DB, from storage.EmbeddingInfo) (*vec.Matrix, error) {
	now, rows, err := db.Embedding(ctx, from.Name)
	if err == nil && !sameGeneration(now, from) {
		err = replaced(from)
	}
	return rows, err
}

// scanBefore calls f with each row of a generation, ascending.
func scanBefore(ctx context.Context, db *storage.DB, from storage.EmbeddingInfo, f func(row int, vector []float32)) error {
	return viewBefore(ctx, db, from, func(v *storage.RowView) error {
		return v.Scan(1, func(_ int, first uint32, rows []float32) {
			for i := 0; i*from.Dim < len(rows); i++ {
				f(int(first)+i, rows[i*from.Dim:][:from.Dim])
			}
		})
	})
}

// sameBefore reports whether a generation has exactly these rows. The last row nearly always differs
// if any does, so that others are seldom read.
func sameBefore(ctx context.Context, db *storage.DB, from storage.EmbeddingInfo, m *vec.Matrix) (same bool, err error) {
	if m.Rows != from.Vertices || m.Dim != from.Dim {
		return false, nil
	}
	if m.Rows > 0 {
		err = viewBefore(ctx, db, from, func(v *storage.RowView) error {
			last, err := v.Row(uint32(m.Rows - 1))
			same = slices.Equal(last, m.Row(m.Rows-1))
			return err
		})
	}
	if err != nil || !same {
		return m.Rows == 0, err
	}
	err = scanBefore(ctx, db, from, func(row int, vector []float32) { same = same && slices.Equal(vector, m.Row(row)) })
	return same, err
}

func renewSpectral(ctx context.Context, g *csr.Graph, name string, o embedding.SpectralOptions, r renewing) (outcome, embedding.RefreshStats, error) {
	state, err := embedding.ReadSpectralState(r.state, r.info.Vertices, r.info.Dim)
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	old, _, err := r.rows()
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	rows, next, stats, refresh, err := embedding.RefreshSpectral(ctx, g, name, o, old, state.Align(r.from), r.touched, r.tolerance)
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	return outcome{rows, spectralRecord(g, o, stats), next.Write}, refresh, nil
}

func renewWalks(ctx context.Context, g *csr.Graph, name string, o embedding.WalkOptions, r renewing) (outcome, embedding.RefreshStats, error) {
	vectors, err := r.read()
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	model, err := readWalkModel(o, r.state, vectors)
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	model, stats, refresh, err := embedding.RefreshWalks(ctx, g, name, o, model, r.from, r.touched, r.turn)
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	renewed, err := walkOutcome(ctx, g, o, model, stats)
	return renewed, refresh, err
}

// began returns the embedding with which an embedding began, as its record has it.
func began(info storage.EmbeddingInfo) []storage.Setting {
	for _, s := range info.Stats {
		if s.Name == storage.SettingBegan {
			return []storage.Setting{s}
		}
	}
	return nil
}

func refreshSettings(s embedding.RefreshStats) []storage.Setting {
	kind := "incremental"
	if s.Mostly() {
		kind = "full"
	}
	list := []storage.Setting{
		{Name: "refresh", Value: kind}, {Name: "refresh reason", Value: s.Reason}, {Name: "touched", Value: strconv.Itoa(s.Touched)},
	}
	if !s.Full {
		list = append(list, storage.Setting{Name: "mean drift", Value: fmt.Sprintf("%.4g", s.MeanDrift)}, storage.Setting{Name: "largest drift", Value: fmt.Sprintf("%.4g", s.MaxDrift)})
	}
	return list
}

// Again computes an embedding of a snapshot, with the method and options of a stored one,
// and stores nothing. Of the request it takes Directed, Workers and Progress. Errors are those of Compute.
func Again(ctx context.Context, db *storage.DB, snap *storage.Snapshot, info storage.EmbeddingInfo, req Request) (*vec.Matrix, error) {
	method, err := prepareAgain(info)
	if err != nil {
		return nil, err
	}
	computed, err := method.run(ctx, snap.Graph, Request{Directed: req.Directed, Workers: req.Workers, Progress: req.Progress, Stored: storedOf(db, snap)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", info.Method, err)
	}
	return computed.vectors, nil
}

// prepareAgain finds the method of a stored embedding and gives it its options.
func prepareAgain(info storage.EmbeddingInfo) (prepared, error) {
	return prepare(info.Method, StoredOptions(info))
}

// StoredOptions returns the options with which an embedding was made, in the form
// that its method accepts.
func StoredOptions(info storage.EmbeddingInfo) []option.Given {
	infos := map[string]option.Info{}
	for _, m := range Methods() {
		if m.Name == info.Method {
			for _, o := range m.Options {
				infos[o.Name] = o
			}
		}
	}
	var options []option.Given
	for _, s := range info.Options {
		options = append(options, option.Given{Name: s.Name, Value: infos[s.Name].Parse(s.Value)})
	}
	return options
}
