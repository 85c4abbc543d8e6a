package format_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"heavytail/storage/format"
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

// Streams of bzip2, which no library here writes.
const (
	bzipped     = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x3b\x17\xf9\xf0\x00\x00\x02\x58\x00\x00\x10\x40\x00\x38\x00\x20\x00\x22\x1e\x8d\x06\x68\x15\x2a\x18\x5d\xc9\x14\xe1\x42\x40\xec\x5f\xe7\xc0" // 1 2, 2 3
	moreBzipped = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x24\x38\x31\x12\x00\x00\x01\x58\x00\x00\x10\x40\x00\x0c\x00\x20\x00\x21\x9a\x68\x33\x4d\x17\x3c\x5d\xc9\x14\xe1\x42\x40\x90\xe0\xc4\x48"     // 3 4
)

func xzipped(t testing.TB, text []byte, config xz.WriterConfig) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := config.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, w, &out, text)
}

func written(t testing.TB, w io.WriteCloser, out *bytes.Buffer, text []byte) []byte {
	t.Helper()
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zipped returns an archive of files, given as name and text by turns.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRead_Archives chooses the file inside an archive by what can be a graph, and the layout by
// its name.
func TestRead_Archives(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
		err   string
	}{
		{name: "g.zip", files: []string{"a/", "", "a/g.adjlist", "1 2 3\n", "__MACOSX/a/._g.adjlist", "\x00\x05"}, want: "vertex 1\nedge 1>2\nedge 1>3\n"},
		{name: "g.txt.zip", files: []string{"g.adjlist", "1 2\n"}, want: "edge 1>2\n"},
		{name: "g.zip", files: []string{"g", "1 2\n"}, want: "edge 1>2\n"},
		{name: "g.zip", files: []string{"karate.gml", "", "karate.txt", ""}, err: `the archive has 2 files ("karate.gml", "karate.txt"); unpack it and name one of them, or pass one to standard input`},
		{name: "g.zip", err: "the archive has no file"},
		{name: "g.zip", files: []string{"g.foo", "1 2\n"}, err: "the ending"},
	} {
		got, stats, err := transcript(t, bytes.NewReader(zipped(t, c.files...)), format.Options{EdgeListOptions: format.EdgeListOptions{Name: c.name}})
		if c.err == "" && (err != nil || got != c.want || stats.SHA256 != sha256.Sum256(zipped(t, c.files...))) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s %q: error %v, got\n%s", c.name, c.files, err, got)
		}
	}
	_, _, err := transcript(t, io.MultiReader(bytes.NewReader(zipped(t, "a", "1 2\n"))), format.Options{})
	if !errors.Is(err, format.ErrDamaged) || !strings.Contains(err.Error(), "from a stream") {
		t.Errorf("a stream: %v", err)
	}
}

// TestRead_XZMemory refuses a stream that asks for more memory than the limit.
func TestRead_XZMemory(t *testing.T) {
	data := xzipped(t, []byte("1 2\n"), xz.WriterConfig{})
	head := data[12 : 12+(int(data[12])+1)*4]
	at := bytes.Index(head, []byte{0x21, 1})
	head[at+2] = 40
	binary.LittleEndian.PutUint32(head[len(head)-4:], crc32.ChecksumIEEE(head[:len(head)-4]))
	if _, _, err := readAll(t, bytes.NewReader(data), format.EdgeListOptions{}); !errors.Is(err, format.ErrDamaged) || !strings.Contains(err.Error(), "bytes of memory") {
		t.Errorf("error %v", err)
	}
}

func TestRead_UTF16(t *testing.T) {
	for text, want := range map[string]string{
		"1\t北京\n": "edge 1>北京\n", `<?xml version="1.0" encoding="UTF-16"?><graphml><graph><node id="é"/></graph></graphml>`: "vertex é\n",
		`{"nodes": [{"id": "é𝄞"}]}`: "vertex é𝄞\n", "*Vertices 1\n1 \"ü\"\n*Edges\n": "vertex ü\n",
	} {
		for _, big := range []bool{false, true} {
			var order binary.AppendByteOrder = binary.LittleEndian
			if big {
				order = binary.BigEndian
			}
			data := order.AppendUint16(nil, 0xfeff)
			for _, u := range utf16.Encode([]rune(text)) {
				data = order.AppendUint16(data, u)
			}
			opts := format.Options{}
			if strings.HasPrefix(text, "*") {
				opts.Layout = format.LayoutPajek
			}
			if got, _, err := transcript(t, bytes.NewReader(data), opts); err != nil || got != want {
				t.Errorf("%q: error %v, got %q", text, err, got)
			}
		}
	}
}

func TestReadEdgeList_Compressed(t *testing.T) {
	text := numbers(20_000, '\t')
	plain, _, err := readAll(t, bytes.NewReader(text), format.EdgeListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	frames := append(zstdped(t, text[:1000]), zstdped(t, text[1000:])...)
	for name, data := range map[string][]byte{
		"gzip":         gzipped(t, text),
		"gzip members": gzipped(t, text[:7], nil, text[7:100_003], text[100_003:]),
		"zstd":         zstdped(t, text),
		"zstd frames":  frames,
		"xz":           xzipped(t, text, xz.WriterConfig{}),
		"xz blocks":    xzipped(t, text, xz.WriterConfig{BlockSize: 5000, CheckSum: xz.SHA256}),
		"xz streams":   append(append(xzipped(t, text[:1000], xz.WriterConfig{CheckSum: xz.CRC32}), 0, 0, 0, 0), xzipped(t, text[1000:], xz.WriterConfig{NoCheckSum: true})...),
		"xz, empty":    append(xzipped(t, nil, xz.WriterConfig{}), xzipped(t, text, xz.WriterConfig{})...),
		"zip":          zipped(t, "g.txt", string(text)),
	} {
		edges, stats, err := readAll(t, bytes.NewReader(data), format.EdgeListOptions{})
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

func TestReadEdgeList_Bzip2(t *testing.T) {
	got, _, err := transcript(t, strings.NewReader(bzipped+moreBzipped), format.Options{})
	if want := "edge 1>2\nedge 2>3\nedge 3>4\n"; err != nil || got != want {
		t.Errorf("%v, read\n%s\nwant\n%s", err, got, want)
	}
}

func TestReadEdgeList_Damaged(t *testing.T) {
	text := numbers(20_000, ' ')
	gz, zs := gzipped(t, text), zstdped(t, text)
	bz, x, zi := []byte(bzipped), xzipped(t, text, xz.WriterConfig{}), zipped(t, "g", string(text))
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
		{"zip", []byte("PK\x03\x04xxxxxxxx"), "of the zip stream: zip: not a valid zip file", zip.ErrFormat},
		{"zip, wrong checksum", flip(zi, bytes.Index(zi, []byte("PK\x01\x02"))+16), "of the zip stream: zip: checksum error", zip.ErrChecksum},
		{"bzip2 cut", bz[:len(bz)/2], "of the bzip2 stream: unexpected EOF", io.ErrUnexpectedEOF},
		{"bzip2, wrong checksum", flip(bz, 12), "of the bzip2 stream: bzip2 data invalid: block checksum mismatch", nil},
		{"xz cut", x[:len(x)/2], fmt.Sprintf("byte %d of the xz stream: unexpected EOF", len(x)/2), io.ErrUnexpectedEOF},
		{"xz, text behind", append(bytes.Clone(x), "1 2 3 4 5 6 7 8 9\n"...), "of the xz stream: the structure of the stream is wrong", nil},
		{"xz, wrong header", flip(x, 7), "byte 12 of the xz stream: the structure of the stream is wrong", nil},
		{"xz, wrong checksum", flip(x, len(x)-29), "of the xz stream: invalid checksum", nil},
		{"7z", []byte("7z\xbc\xaf\x27\x1cxxxxxx"), "byte 0 of the 7z stream: this compression is not read; gzip, zstd, bzip2, xz, zip and plain text are", nil},
	} {
		_, stats, err := readAll(t, bytes.NewReader(c.data), format.EdgeListOptions{Name: "g"})
		var damage *format.StreamError
		if !errors.As(err, &damage) || !errors.Is(err, format.ErrDamaged) || c.err != nil && !errors.Is(err, c.err) {
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
	for name, data := range map[string][]byte{
		"gzip": gzipped(t, text), "zstd": zstdped(t, text), "xz": xzipped(t, text, xz.WriterConfig{BlockSize: 200}), "zip": zipped(t, "g", string(text)),
	} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for cut := len("\xfd7zXZ\x00"); cut < len(data); cut += step {
			_, _, err := readAll(t, bytes.NewReader(data[:cut]), format.EdgeListOptions{})
			if !errors.Is(err, format.ErrDamaged) {
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
		opts format.EdgeListOptions
	}{
		"gzip of zeros":        {gzipped(t, zeros), format.EdgeListOptions{MaxBytes: 1 << 20, MaxLine: 1 << 30}},
		"gzip of zeros, lines": {gzipped(t, zeros), format.EdgeListOptions{}},
		"gzip of empty lines":  {gzipped(t, lines), format.EdgeListOptions{MaxBytes: 1 << 20}},
		"zstd of empty lines":  {zstdped(t, lines), format.EdgeListOptions{MaxBytes: 1 << 20}},
		"gzip of comments":     {gzipped(t, comments), format.EdgeListOptions{MaxLines: 1000}},
	} {
		_, stats, err := readAll(t, bytes.NewReader(c.data), c.opts)
		if !errors.Is(err, format.ErrLimit) {
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
	_, stats, err := readAll(t, io.LimitReader(endless{}, 1<<46), format.EdgeListOptions{})
	if !errors.Is(err, format.ErrLimit) || !strings.HasPrefix(err.Error(), "input:1:1: the line exceeds") {
		t.Errorf("error %v", err)
	}
	if stats.Bytes > 2<<20 {
		t.Errorf("%d bytes were read", stats.Bytes)
	}
	// Skipped lines are read to their end, but not kept in memory.
	_, stats, err = readAll(t, io.LimitReader(endless{}, 64<<20), format.EdgeListOptions{SkipBad: true})
	if err != nil || stats.Skipped != 1 || stats.Bytes != 64<<20 {
		t.Errorf("stats %+v, error %v", stats, err)
	}
}
