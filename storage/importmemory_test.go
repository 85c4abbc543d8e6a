package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/internal/gather"
)

// endless is a text that repeats until there are n pieces.
type endless struct {
	piece func(i int) string // valid lines
	i, n  int
	rest  string
	look  func(i int)
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.i == e.n {
			return 0, io.EOF
		}
		if e.rest = e.piece(e.i); e.look != nil {
			e.look(e.i)
		}
		e.i++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Memory depends on the graph, not on the length of the text: millions of repetitions take
// no more than the first ones.
func TestImport_RepeatsTakeNoMemory(t *testing.T) {
	const lines = 10_000 // of a piece
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	for name, c := range map[string]struct {
		lines int64
		line  func(i int) string
	}{
		"plain":    {5_000_000, func(int) string { return "1 2\n" }},
		"weighted": {1_500_000, func(i int) string { return [2]string{"1 2 3\n", "2 1 4\n"}[i%2] }},
		"several":  {1_500_000, func(i int) string { return fmt.Sprintf("%d %d\n", i%400, i%401) }},
	} {
		if testing.Short() && name != "several" {
			continue // a million lines and more of each kind
		}
		var b strings.Builder
		for i := range lines {
			b.WriteString(c.line(i))
		}
		db := newStore(t, nil)
		most, before := int64(0), heap()
		text := &endless{n: int(c.lines / lines), piece: func(int) string { return b.String() }, look: func(i int) {
			if i%20 == 19 {
				most = max(most, heap()-before)
			}
		}}
		opts := ImportOptions{MemoryLimit: 1}
		if name == "weighted" {
			opts.Format.Weight = "3"
		}
		stats, err := db.Import(context.Background(), "g", text, opts)
		if err != nil || stats.ReadStats.Edges != c.lines || stats.Added+stats.Duplicates+stats.SelfLoops != c.lines {
			t.Fatalf("%s: %+v, %v", name, stats, err)
		}
		if most > gather.LeastLimit {
			t.Errorf("%s: %d bytes in use, and the limit is %d", name, most, gather.LeastLimit)
		}
	}
}

// Imports with any memory limit write the same records, whatever values the edges have and
// however they are divided into runs, and leave no file behind.
func TestImport_MemoryLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes large inputs")
	}
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	texts := map[string]string{}
	for _, name := range []string{"plain", "values", "late values", "header"} {
		var b strings.Builder
		const m = 2000
		if name == "header" {
			fmt.Fprintf(&b, "400 %d\n", m)
		}
		for i := range m {
			u, v := random.IntN(300), random.IntN(300)
			fmt.Fprintf(&b, "%d %d", u, v)
			if name == "values" || name == "late values" && i > m/2 {
				if random.IntN(2) == 0 {
					fmt.Fprintf(&b, " %v", float32(math.Ldexp(1+random.Float64(), random.IntN(90)-50)))
					if random.IntN(2) == 0 {
						fmt.Fprintf(&b, " %d", random.IntN(1000))
					}
				}
			}
			b.WriteByte('\n')
		}
		texts[name] = b.String()
	}
	for name, text := range texts {
		for _, how := range Repeats() {
			if how != RepeatedLast && name != "values" {
				continue
			}
			var want []byte
			var wantStats ImportStats
			for _, room := range []int64{0, 1, 10_000} {
				dir := t.TempDir()
				db := openStore(t, filepath.Join(dir, "store"), nil)
				opts := ImportOptions{Repeated: how, edgeRoom: room}
				if strings.Contains(name, "values") {
					opts.Format = format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "3", Time: "4"}}
				}
				// The graph exists, so that vertices get other numbers than in the text.
				importText(t, db, "g", "x 3\n200 y\n3 200\n")
				stats, err := db.Import(context.Background(), "g", strings.NewReader(text), opts)
				if err != nil {
					t.Fatal(err)
				}
				stats.Seconds = 0
				got := graphRecords(t, db, "g")
				if want == nil {
					want, wantStats = got, stats
				}
				if !bytes.Equal(got, want) || !reflect.DeepEqual(stats, wantStats) {
					t.Errorf("%s, %s, room %d: another result: %+v, want %+v", name, how, room, stats, wantStats)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".*import*")); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			}
		}
	}
}

// A graph that does not fit is refused with the need and the limit, and nothing of it is
// left.
func TestImport_MemoryRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: reads over a million lines")
	}
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	text := &endless{n: 600_000, piece: func(i int) string { return fmt.Sprintf("some-key-%d some-key-%d\n", i, i+1) }}
	_, err := db.Import(ctx, "g", text, ImportOptions{MemoryLimit: 1})
	var short *MemoryError
	if !errors.As(err, &short) || !errors.Is(err, ErrLimit) || short.Limit != gather.LeastLimit || short.Need <= short.Limit || !strings.Contains(err.Error(), "the keys of the first") {
		t.Fatalf("%v", err)
	}
	table := &endless{n: 600_000, piece: func(i int) string {
		if i == 0 {
			return "key,name\n"
		}
		return fmt.Sprintf("%d,the name of %d is long enough\n", i, i)
	}}
	_, err = db.Import(ctx, "g", table, ImportOptions{MemoryLimit: 1, Format: format.Options{Layout: format.LayoutVertices}})
	if !errors.As(err, &short) || !strings.Contains(err.Error(), "attributes") {
		t.Fatalf("%v", err)
	}
	if _, err := db.Graph(ctx, "g"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
