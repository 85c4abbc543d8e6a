package query_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/vectors"
)

// busyEnv makes the test binary a child that computes until its input ends.
const busyEnv = "HEAVYTAIL_QUERY_BUSY"

// runBusy computes, if this process was started for comparison.
func runBusy() bool {
	if os.Getenv(busyEnv) == "" {
		return false
	}
	go func() {
		for x := 1.0; ; x /= 3 {
		}
	}()
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
	return true
}

// BenchmarkNearestBesideJob measures a search every millisecond, without and with a job in
// the same process; beside=process is the effect of another process that computes. The
// median and the quantile of many searches are in microseconds.
func BenchmarkNearestBesideJob(b *testing.B) {
	ctx := context.Background()
	path := filepath.Join(b.TempDir(), "store")
	db, err := query.Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 4000, m := 20, seed := 1) INTO g",
		"EMBED g USING dp_spectral(dim := 128) AS e",
	} {
		if _, err := db.Query(ctx, text, nil); err != nil {
			b.Fatal(err)
		}
	}
	want := make([][]vectors.Neighbor, 100)
	search := func(i int) []vectors.Neighbor {
		found, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 10, Vertex: fmt.Sprint(i), Embedding: "e"})
		if err != nil {
			b.Fatal(err)
		}
		return found.Neighbors
	}
	for i := range want {
		want[i] = search(i)
	}
	// sample returns the median and the 99th percentile of n searches.
	sample := func(n int) (p50, p99 float64) {
		took := make([]time.Duration, n)
		for i := range took {
			due := time.Now().Add(time.Millisecond)
			time.Sleep(time.Until(due))
			found := search(i % len(want))
			took[i] = time.Since(due)
			if !slices.Equal(found, want[i%len(want)]) {
				b.Fatalf("vertex %d has other neighbours beside the job", i%len(want))
			}
		}
		slices.Sort(took)
		return float64(took[n/2].Microseconds()), float64(took[min(n-1, n*99/100)].Microseconds())
	}
	for _, beside := range []string{"background", "foreground", "process"} {
		for _, method := range []string{"dp_spectral", "dp_walker"} {
			if beside == "process" && method != "dp_spectral" {
				continue // only computes
			}
			b.Run(fmt.Sprintf("beside=%s/method=%s", beside, method), func(b *testing.B) {
				n := max(b.N, 300) // fewer have no 99th percentile
				p50, p99 := sample(n)
				stop := compute(b, db, beside, vectors.EmbedRequest{Graph: "g", Name: "other", Method: method})
				time.Sleep(time.Second) // until it does what takes it the longest
				besideP50, besideP99 := sample(n)
				stop()
				b.ReportMetric(p50, "p50-us")
				b.ReportMetric(p99, "p99-us")
				b.ReportMetric(besideP50, "beside-p50-us")
				b.ReportMetric(besideP99, "beside-p99-us")
				b.ReportMetric(besideP99/p99, "p99/p99")
			})
		}
	}
}

// compute has something compute until stop is called: jobs, or a process.
func compute(b *testing.B, db *query.DB, what string, req vectors.EmbedRequest) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	if what == "process" {
		self, err := os.Executable()
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), busyEnv+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		return func() {
			_ = in.Close()
			_ = cmd.Wait()
			cancel()
		}
	}
	ended := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if what == "foreground" {
				if _, err := db.Vectors().Embed(ctx, req); err != nil && ctx.Err() == nil {
					ended <- err
					return
				}
				continue
			}
			started, err := db.Vectors().StartEmbed(context.Background(), req)
			if err != nil {
				ended <- err
				return
			}
			if _, err = db.Jobs().Wait(ctx, started.ID); err != nil {
				_, _ = db.Jobs().Cancel(context.Background(), started.ID)
			}
		}
		ended <- nil
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}
