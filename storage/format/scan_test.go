package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
)

// drawnLines are kinds of lines, each of which a text has now and then between plain ones.
var drawnLines = []string{"# a comment\n", "\n", "a\"b c\n", "1 2 {'weight': 2}\n", "é ü\n", "one\n", "\x00 1\n", "3 4 5 6 7 8\n", "\"x\ny\",z\n", "1,2,3\n", "5 6 -1\n", "7 8 NA\n", "  9  10  \r\n", "1 2 1.5 2020-01-01T00:00:00.5Z\n", "x y z\r\n", "%\n"}

// drawText returns a text of several blocks: a first line, plain lines and a few others.
func drawText(random *rand.Rand, size int) []byte {
	firsts := []string{"", "# Directed graph\n", "source,target,weight\n", "a,b,time\n", "x\ty\tz\n", "source,target,kind\n", "1 2\n"}
	separators := []byte{' ', ',', ',', ',', '\t', ',', ' '}
	first := random.IntN(len(firsts))
	odd := 1 + random.IntN(40_000) // plain lines for an unusual one
	columns := 2 + random.IntN(3)
	text := []byte(firsts[first])
	for len(text) < size {
		if random.IntN(odd) == 0 {
			text = append(text, drawnLines[random.IntN(len(drawnLines))]...)
		}
		for column := range columns {
			if column > 0 {
				text = append(text, separators[first])
			}
			if column < 2 && random.IntN(4) == 0 {
				text = append(text, "key_"[:random.IntN(5)]...)
			}
			text = fmt.Append(text, random.IntN(100_000))
		}
		text = append(text, '\n')
	}
	return text[:len(text)-random.IntN(2)]
}

var errEnough = errors.New("enough")

// A reader that takes many edges at once receives the same edges, and the read has the same figures and
// the same error, as one that takes each, at any number of processors and wherever the read ends.
func TestRead_Edges(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	seed := maphash.MakeSeed()
	number := func(key []byte) uint32 { return uint32(maphash.Bytes(seed, key)) }
	together, errorsSeen := 0, 0
	for round := range uint64(12) {
		random := rand.New(rand.NewPCG(round, 7))
		text := drawText(random, 100<<10+random.IntN(3<<19))
		opts := format.Options{EdgeListOptions: format.EdgeListOptions{Name: "g", SkipBad: random.IntN(3) > 0, Weight: []string{"", "3"}[random.IntN(2)], MaxLine: []int{0, 12}[random.IntN(8)/7]}}
		if random.IntN(4) == 0 {
			opts.Time = "4"
		}
		if random.IntN(6) == 0 {
			opts.MaxLines = int64(random.IntN(100_000))
		}
		end := []int{random.IntN(100_000), 1 << 30}[random.IntN(2)]
		read := func(processors int, many bool) (edges []byte, stats format.ReadStats, err error) {
			runtime.GOMAXPROCS(processors)
			taken := 0
			take := func(e format.Edge) error {
				taken++
				edges = fmt.Appendf(edges, "%s %s %v %d %t%t%t%t %q\n", e.Source, e.Target, e.Weight, e.Time, e.Weighted, e.Timed, e.Dated, e.Both, e.Values)
				if taken == end {
					return errEnough
				}
				return nil
			}
			h := format.Handler{Edge: take, EdgeColumns: func([]format.Column) error { return nil }}
			if many {
				h.Find = func(e *format.Edges) {
					for i := range e.Numbers {
						e.Numbers[i] = number(e.Key(i))
					}
				}
				h.Edges = func(e *format.Edges) (int, error) {
					together += e.Len()
					for i := range e.Len() {
						edge := e.At(i)
						if e.Numbers[2*i] != number(edge.Source) || e.Numbers[2*i+1] != number(edge.Target) {
							t.Fatal("an edge has other numbers than Find gave it")
						}
						if edge.Weighted || edge.Timed {
							if !e.Measured() {
								t.Fatal("Measured is false for an edge with a weight or a time")
							}
						}
						if err := take(edge); err != nil {
							return i + 1, err
						}
					}
					return e.Len(), nil
				}
			}
			stats, err = graphfile.Read(t.Context(), bytes.NewReader(text), opts, h)
			return edges, stats, err
		}
		want, wantStats, wantErr := read(1, false)
		if wantErr != nil {
			errorsSeen++
		}
		for _, processors := range []int{1, 2, 5} {
			for _, many := range []bool{false, true} {
				got, stats, err := read(processors, many)
				if !reflect.DeepEqual(err, wantErr) {
					t.Fatalf("round %d, %d processors, together %t: error %v, want %v", round, processors, many, err, wantErr)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("round %d, %d processors, together %t: other edges", round, processors, many)
				}
				if !reflect.DeepEqual(stats, wantStats) {
					t.Fatalf("round %d, %d processors, together %t: %+v, want %+v", round, processors, many, stats, wantStats)
				}
			}
		}
	}
	if together < 200_000 || errorsSeen < 2 || errorsSeen > 10 {
		t.Errorf("%d edges were taken together, and %d reads ended in errors", together, errorsSeen)
	}
}
