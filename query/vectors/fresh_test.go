package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// A search with FRESH waits for the job that holds the embedding, as long as its context
// allows, and then refreshes the embedding itself.
func TestNearest_FreshWaits(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	defer querytest.Close(t, db)
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	querytest.Eager(db)
	reached, release := querytest.Held(db)
	rows, err := db.Query(ctx, "EMBED g USING dp_spectral(dim := 5, normalization := 'degree') AS e IN BACKGROUND", nil)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	id := rows.Row()[0].(int64)
	<-reached
	querytest.MustRun(t, db, "INSERT EDGE ('0', 'new') INTO g")
	fresh := vectors.NearestRequest{K: 3, Vertex: "new", Embedding: "e", Fresh: true}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	if _, err := db.Vectors().Nearest(short, fresh); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside the job: %v", err)
	}
	cancel()
	stopped := new(fault.JobError)
	for wait := 10 * time.Millisecond; ; wait *= 4 {
		short, cancel = context.WithTimeout(ctx, wait)
		_, err = db.Jobs().Wait(short, uint64(id))
		cancel()
		if errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) {
			break // otherwise the context ended before the wait began, as on a busy machine
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &stopped) || !strings.Contains(err.Error(), fmt.Sprintf("WAIT JOB %d waits for it", id)) {
		t.Errorf("waiting: %v", err)
	}
	found := make(chan error)
	go func() {
		r, err := db.Vectors().Nearest(ctx, fresh)
		if err == nil && (len(r.Neighbors) != 3 || r.Embedding.Behind != 0 || r.Embedding.Generation != 3) {
			err = fmt.Errorf("%+v", r)
		}
		found <- err
	}()
	release()
	if err := <-found; err != nil {
		t.Error(err)
	}
}

// In a file that is open for reading, FRESH succeeds if the embedding is up to date.
func TestNearest_FreshReadOnly(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	querytest.MustRun(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	querytest.Close(t, db)
	for _, want := range []error{nil, storage.ErrReadOnly} { // before and after a change
		db, err := query.Open(path, &query.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Query(ctx, "NEAREST 3 TO '1' USING e FRESH", nil); !errors.Is(err, want) {
			t.Errorf("%v, not %v", err, want)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = querytest.OpenAt(t, path)
		querytest.MustRun(t, db, "INSERT EDGE ('0', 'new') INTO g")
		querytest.Close(t, db)
	}
}

// The record of a job has the peak memory over all its runs.
func TestJobs_Peak(t *testing.T) {
	ctx := context.Background()
	path := querytest.JobStore(t)
	db := querytest.OpenAt(t, path)
	defer querytest.Close(t, db)
	// Garbage that is freed meanwhile would hide the memory of the job.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	started, err := db.Vectors().StartEmbed(ctx, vectors.EmbedRequest{Graph: "g", Name: "e", Method: "dp_spectral", Settings: map[string]any{"dim": 40}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := db.Jobs().Wait(ctx, started.ID)
	if err != nil || info.Peak < 4*40*800 {
		t.Errorf("the rows alone take %d bytes, the job was seen to take %d of %d, %v", 4*40*800, info.Peak, info.Memory, err)
	}
	if stored, err := querytest.Engine(db).Store.Job(ctx, started.ID); err != nil || stored.Peak != info.Peak {
		t.Errorf("%+v, %v", stored, err)
	}
}

// A mistake is found before the refresh: it changes nothing.
func TestNearest_FreshMistakes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 40, m := 3) INTO g", "EMBED g USING dp_spectral(dim := 3) AS e", "INSERT EDGE (1, 'new') INTO g",
	} {
		querytest.MustExec(t, db, text)
	}
	for _, text := range []string{
		"TO [1, 2] USING e FRESH", "TO 'none' USING e FRESH", "TO (1, 'none') USING e@1 FRESH", "TO 1 USING e FRESH WHERE age > 3", "TO 1 USING e FRESH ORDER BY age",
	} {
		if _, err := db.Query(t.Context(), "NEAREST 3 "+text, nil); err == nil {
			t.Errorf("%s: no error", text)
		}
		if info, err := querytest.Engine(db).Store.EmbeddingInfo(t.Context(), "e"); err != nil || info.Generation != 1 {
			t.Errorf("%s: generation %d, %v", text, info.Generation, err)
		}
	}
	querytest.MustExec(t, db, "NEAREST 3 TO 'new' USING e@1 FRESH")
	if info, err := querytest.Engine(db).Store.EmbeddingInfo(t.Context(), "e"); err != nil || info.Generation != 2 {
		t.Errorf("generation %d, %v", info.Generation, err)
	}
}
