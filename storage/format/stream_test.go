package format

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&out)
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func zstdped(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}

func TestReadEdgeList_Compressed(t *testing.T) {
	text := numbers(20_000, '\t')
	plain, _, err := readAll(t, bytes.NewReader(text), EdgeListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	frames := append(zstdped(t, text[:1000]), zstdped(t, text[1000:])...)
	for name, data := range map[string][]byte{
		"gzip":         gzipped(t, text),
		"gzip members": gzipped(t, text[:7], nil, text[7:100_003], text[100_003:]),
		"zstd":         zstdped(t, text),
		"zstd frames":  frames,
	} {
		edges, stats, err := readAll(t, bytes.NewReader(data), EdgeListOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(edges, plain) {
			t.Errorf("%s: other edges than from plain text", name)
		}
		if stats.SHA256 != sha256.Sum256(data) || stats.Bytes != int64(len(text)) {
			t.Errorf("%s: stats %+v", name, stats)
		}
	}
}

func TestReadEdgeList_Damaged(t *testing.T) {
	text := numbers(20_000, ' ')
	gz, zs := gzipped(t, text), zstdped(t, text)
	flip := func(data []byte, at int) []byte {
		data = bytes.Clone(data)
		data[at] ^= 1
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want string // the end of the message
		err  error
	}{
		{"gzip cut in the header", gz[:5], "byte 5 of the gzip stream: unexpected EOF", io.ErrUnexpectedEOF},
		{"gzip cut in the data", gz[:len(gz)/2], fmt.Sprintf("byte %d of the gzip stream: unexpected EOF", len(gz)/2), io.ErrUnexpectedEOF},
		{"gzip cut in the checksum", gz[:len(gz)-3], fmt.Sprintf("byte %d of the gzip stream: unexpected EOF", len(gz)-3), io.ErrUnexpectedEOF},
		{"gzip, wrong checksum", flip(gz, len(gz)-8), fmt.Sprintf("byte %d of the gzip stream: gzip: invalid checksum", len(gz)), gzip.ErrChecksum},
		{"gzip, wrong size", flip(gz, len(gz)-1), fmt.Sprintf("byte %d of the gzip stream: gzip: invalid checksum", len(gz)), gzip.ErrChecksum},
		{"gzip, text behind", append(bytes.Clone(gz), "1 2 3 4 5 6 7 8 9\n"...), "of the gzip stream: gzip: invalid header", gzip.ErrHeader},
		{"gzip, second member cut", append(bytes.Clone(gz), gz[:100]...), fmt.Sprintf("byte %d of the gzip stream: unexpected EOF", len(gz)+100), io.ErrUnexpectedEOF},
		{"zstd cut", zs[:len(zs)/2], fmt.Sprintf("byte %d of the zstd stream: unexpected EOF", len(zs)/2), io.ErrUnexpectedEOF},
		{"zstd, wrong checksum", flip(zs, len(zs)-1), "of the zstd stream: " + zstd.ErrCRCMismatch.Error(), zstd.ErrCRCMismatch},
		{"zip", []byte("PK\x03\x04xxxxxxxx"), "byte 0 of the zip stream: this compression is not supported; gzip, zstd and plain text are", nil},
		{"bzip2", []byte("BZh91AY&SY"), "byte 0 of the bzip2 stream: this compression is not supported; gzip, zstd and plain text are", nil},
	} {
		_, stats, err := readAll(t, bytes.NewReader(c.data), EdgeListOptions{Name: "g"})
		var damage *StreamError
		if !errors.As(err, &damage) || !errors.Is(err, ErrDamaged) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), "g: byte ") || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want … %s", c.name, err, c.want)
		}
		if stats.SHA256 != [32]byte{} {
			t.Errorf("%s: a hash in spite of the damage", c.name)
		}
	}
}

// TestReadEdgeList_EveryCut truncates a compressed file at every byte: none may be accepted
// as complete.
func TestReadEdgeList_EveryCut(t *testing.T) {
	text := numbers(100, ' ')
	for name, data := range map[string][]byte{"gzip": gzipped(t, text), "zstd": zstdped(t, text)} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for cut := 5; cut < len(data); cut += step {
			_, _, err := readAll(t, bytes.NewReader(data[:cut]), EdgeListOptions{})
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s cut at byte %d of %d: %v", name, cut, len(data), err)
			}
		}
	}
}

func TestReadEdgeList_Bomb(t *testing.T) {
	zeros := make([]byte, 3<<20)
	lines := bytes.Repeat([]byte("\n"), 3<<20)
	comments := bytes.Repeat([]byte("#\n"), 2<<20)
	for name, c := range map[string]struct {
		data []byte
		opts EdgeListOptions
	}{
		"gzip of zeros":        {gzipped(t, zeros), EdgeListOptions{MaxBytes: 1 << 20, MaxLine: 1 << 30}},
		"gzip of zeros, lines": {gzipped(t, zeros), EdgeListOptions{}},
		"gzip of empty lines":  {gzipped(t, lines), EdgeListOptions{MaxBytes: 1 << 20}},
		"zstd of empty lines":  {zstdped(t, lines), EdgeListOptions{MaxBytes: 1 << 20}},
		"gzip of comments":     {gzipped(t, comments), EdgeListOptions{MaxLines: 1000}},
	} {
		_, stats, err := readAll(t, bytes.NewReader(c.data), c.opts)
		if !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
		if stats.Bytes > 2<<20 {
			t.Errorf("%s: %d bytes were read", name, stats.Bytes)
		}
	}
}

// endless is a line of 64 TiB.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReadEdgeList_EndlessLine(t *testing.T) {
	_, stats, err := readAll(t, io.LimitReader(endless{}, 1<<46), EdgeListOptions{})
	if !errors.Is(err, ErrLimit) || !strings.HasPrefix(err.Error(), "input:1:1: the line exceeds") {
		t.Errorf("error %v", err)
	}
	if stats.Bytes > 2<<20 {
		t.Errorf("%d bytes were read", stats.Bytes)
	}
	// Skipped lines are read to their end, but not kept in memory.
	_, stats, err = readAll(t, io.LimitReader(endless{}, 64<<20), EdgeListOptions{SkipBad: true})
	if err != nil || stats.Skipped != 1 || stats.Bytes != 64<<20 {
		t.Errorf("stats %+v, error %v", stats, err)
	}
}
