package format_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/format/vectorfile"
)

func appendKeys(keys []string) format.AppendKey {
	return func(dst []byte, v uint32) []byte { return append(dst, keys[v]...) }
}

func pairSeq(pairs [][2]uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(u, v uint32) bool) {
		for _, pair := range pairs {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

func TestWriteEdgeList_Text(t *testing.T) {
	pairs := [][2]uint32{{0, 1}, {2, 0}}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"0", "1", "2"}, "# source target\n0 1\n2 0\n"},
		{[]string{"Zoë", "北京", "a%b"}, "# source target\nZoë 北京\na%b Zoë\n"},
		{[]string{"a#b", "c", "d"}, "source,target\na#b,c\nd,a#b\n"},
		{[]string{"a b", "c,d", "e"}, "source,target\na b,\"c,d\"\ne,a b\n"},
		{[]string{"#a", `say "b"`, " c"}, "source,target\n\"#a\",\"say \"\"b\"\"\"\n\" c\",\"#a\"\n"},
		{[]string{"a", "no\u00a0break", "b"}, "source,target\na,no\u00a0break\nb,a\n"},
	} {
		var out strings.Builder
		if err := rowtext.WriteEdgeList(t.Context(), &out, len(c.keys), appendKeys(c.keys), pairSeq(pairs)); err != nil {
			t.Errorf("%q: %v", c.keys, err)
		} else if out.String() != c.want {
			t.Errorf("%q: wrote %q, want %q", c.keys, out.String(), c.want)
		}
	}
}

func TestWriteEdgeList_Refused(t *testing.T) {
	for _, key := range []string{"", "a\x00b", "\xff", strings.Repeat("k", 1025)} {
		err := rowtext.WriteEdgeList(t.Context(), &strings.Builder{}, 2, appendKeys([]string{"a", key}), pairSeq([][2]uint32{{0, 1}}))
		var refused *format.KeyError
		if !errors.As(err, &refused) || !errors.Is(err, format.ErrKey) || refused.Key != key {
			t.Errorf("%.10q: %v", key, err)
		}
	}
	// A key without an edge is not written.
	if err := rowtext.WriteEdgeList(t.Context(), &strings.Builder{}, 3, appendKeys([]string{"a", "b", "c\x00"}), pairSeq([][2]uint32{{0, 1}})); err != nil {
		t.Error(err)
	}
}

func TestWriteEdgeList_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	written := 0
	err := rowtext.WriteEdgeList(ctx, &strings.Builder{}, 2, appendKeys([]string{"a", "b"}), func(yield func(u, v uint32) bool) {
		for yield(0, 1) {
			if written++; written == 10 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// failingWriter accepts a number of bytes.
type failingWriter struct{ left int }

var errFull = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWrite_WriterError(t *testing.T) {
	keys := appendKeys([]string{"alpha", "beta"})
	pairs := slices.Repeat([][2]uint32{{0, 1}}, 50_000) // more than the buffer holds
	row := make([]float32, 50_000)
	for _, left := range []int{0, writing.WriteBuffer} {
		if err := rowtext.WriteEdgeList(t.Context(), &failingWriter{left}, 2, keys, pairSeq(pairs)); !errors.Is(err, errFull) {
			t.Errorf("edge list after %d bytes: %v", left, err)
		}
	}
	if err := vectorfile.WriteWord2Vec(t.Context(), &failingWriter{}, 2, len(row), keys, func(int) []float32 { return row }); !errors.Is(err, errFull) {
		t.Errorf("word2vec: %v", err)
	}
}

// TestWriteEdgeList_RoundTrip reads back what was written, with the zero options: whatever
// the keys are, the reader must not take any line for a header, a comment or another
// layout.
func TestWriteEdgeList_RoundTrip(t *testing.T) {
	// Keys are made of pieces that mean something to some form of the file.
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"source", "target", "u", "v", "a", "1", "2", "30", "é", "北", "#", "%", ",", ";", "|", "\"", "\"\"", "'", "\\",
			" ", "\t", "\n", "\r", "\ufeff", "\u00a0", "\u2028", "\x01", "\x7f", "-",
		}),
		rapid.StringN(1, 3, -1),
	)
	key := rapid.Map(rapid.SliceOfN(piece, 1, 4), func(pieces []string) string { return strings.Join(pieces, "") }).
		Filter(func(s string) bool { return writing.CheckKey([]byte(s)) == "" })
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(key, 1, 6, rapid.ID[string]).Draw(t, "keys")
		vertex := rapid.Uint32Range(0, uint32(len(keys)-1))
		pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint32 {
			return [2]uint32{vertex.Draw(t, "u"), vertex.Draw(t, "v")}
		}), 0, 6).Draw(t, "pairs")
		var text bytes.Buffer
		if err := rowtext.WriteEdgeList(context.Background(), &text, len(keys), appendKeys(keys), pairSeq(pairs)); err != nil {
			t.Fatal(err)
		}
		written := text.String()
		i := 0
		stats, err := rowtext.ReadEdgeList(context.Background(), &text, format.EdgeListOptions{}, func(e format.Edge) error {
			if i >= len(pairs) || string(e.Source) != keys[pairs[i][0]] || string(e.Target) != keys[pairs[i][1]] {
				t.Fatalf("edge %d is %q > %q in %q", i, e.Source, e.Target, written)
			}
			i++
			return nil
		})
		if err != nil || i != len(pairs) || stats.CountsHeader {
			t.Fatalf("%d of %d edges, stats %+v, error %v from %q", i, len(pairs), stats, err, written)
		}
	})
}

func TestWriteWord2Vec(t *testing.T) {
	rows := [][]float32{{1, -0.5, 0}, {1e-20, 3.4028235e38, 0.1}}
	var out strings.Builder
	err := vectorfile.WriteWord2Vec(t.Context(), &out, 2, 3, appendKeys([]string{"a", "Zoë"}), func(i int) []float32 { return rows[i] })
	if err != nil {
		t.Fatal(err)
	}
	if want := "2 3\na 1 -0.5 0\nZoë 1e-20 3.4028235e+38 0.1\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// TestWriteWord2Vec_RoundTrip parses every value back to the same bits, and checks that the
// output does not depend on the number of processors.
func TestWriteWord2Vec_RoundTrip(t *testing.T) {
	const rows, dim = 500, 37 // several blocks, the last one short
	random := rand.New(rand.NewPCG(3, 4))
	values := make([]float32, rows*dim)
	for i := range values {
		for {
			values[i] = math.Float32frombits(random.Uint32())
			if x := float64(values[i]); !math.IsNaN(x) && !math.IsInf(x, 0) {
				break
			}
		}
	}
	write := func() []byte {
		var out bytes.Buffer
		key := func(dst []byte, v uint32) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
		if err := vectorfile.WriteWord2Vec(t.Context(), &out, rows, dim, key, func(i int) []float32 { return values[i*dim : (i+1)*dim] }); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	text := write()
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) != rows+1 || string(lines[0]) != "500 37" {
		t.Fatalf("%d lines, the first is %q", len(lines), lines[0])
	}
	for i, line := range lines[1:] {
		words := strings.Split(string(line), " ")
		if len(words) != dim+1 || words[0] != strconv.Itoa(i) {
			t.Fatalf("line %d: %q", i, line)
		}
		for j, word := range words[1:] {
			x, err := strconv.ParseFloat(word, 32)
			if err != nil || math.Float32bits(float32(x)) != math.Float32bits(values[i*dim+j]) {
				t.Fatalf("%s is not %b: %v", word, values[i*dim+j], err)
			}
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	if !bytes.Equal(write(), text) {
		t.Error("the text depends on GOMAXPROCS")
	}
}

func TestWriteWord2Vec_Refused(t *testing.T) {
	one := func(int) []float32 { return []float32{1} }
	for _, key := range []string{"", "a b", "a\tb", "a\u00a0b", "a\nb", "\x00", "\xff"} {
		err := vectorfile.WriteWord2Vec(t.Context(), &strings.Builder{}, 1, 1, appendKeys([]string{key}), one)
		if !errors.Is(err, format.ErrKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		err := vectorfile.WriteWord2Vec(t.Context(), &strings.Builder{}, 1, 1, appendKeys([]string{"a"}), func(int) []float32 { return []float32{float32(x)} })
		if !errors.Is(err, format.ErrNotFinite) {
			t.Errorf("%v: %v", x, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := vectorfile.WriteWord2Vec(cancelled, &strings.Builder{}, 1, 1, appendKeys([]string{"a"}), one); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := vectorfile.WriteWord2Vec(t.Context(), &strings.Builder{}, 1, 2, appendKeys([]string{"a"}), one); err == nil {
		t.Error("a row that is too short was written")
	}
}
