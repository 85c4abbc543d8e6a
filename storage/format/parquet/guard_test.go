package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"heavytail/storage/format/internal/columnfile"
)

// A record is as long as what the library writes, and its parts end too early.
func TestRecordSize(t *testing.T) {
	t.Parallel()
	header := format.PageHeader{Type: format.DataPage, UncompressedPageSize: 70000, CRC: -5}
	header.DataPageHeader.Set(format.DataPageHeader{NumValues: 3, Statistics: format.Statistics{MinValue: []byte("a"), NullCount: 1}})
	meta := format.FileMetaData{
		Schema: []format.SchemaElement{{Name: "rows"}}, RowGroups: []format.RowGroup{{Columns: make([]format.ColumnChunk, 20)}},
		KeyValueMetadata: []format.KeyValue{{Key: "a", Value: strings.Repeat("b", 300)}},
	}
	for _, record := range []any{&header, &meta} {
		data, err := thrift.Marshal(&thrift.CompactProtocol{}, record)
		if err != nil {
			t.Fatal(err)
		}
		if size, whole, err := recordSize(append(slices.Clone(data), 7, 7)); size != len(data) || !whole || err != nil {
			t.Errorf("%T: %d of %d bytes, %t, %v", record, size, len(data), whole, err)
		}
		for n := range data {
			if _, whole, err := recordSize(data[:n]); whole || err != nil {
				t.Fatalf("%T: %d of %d bytes are %t, %v", record, n, len(data), whole, err)
			}
		}
	}
	for what, test := range map[string]struct {
		data []byte
		want string // empty if the record is only cut off
	}{
		"records in records":     {bytes.Repeat([]byte{0x1c}, 1000), "nested too deeply"},
		"lists in lists":         {append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1000)...), "nested too deeply"},
		"a list of 2^31 numbers": {[]byte{0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07, 0}, "too long"},
		"many lists":             {append([]byte{0x19, 0xf1, 0x81, 0x80, 0x40}, make([]byte, maxItems+2)...), "too long"},
		"a text of 2^31 bytes":   {[]byte{0x18, 0xff, 0xff, 0xff, 0xff, 0x07, 0}, ""},
		"a type of 14":           {[]byte{0x1e, 0}, "unknown type"},
		"a number of 80 bits":    {append([]byte{0x15}, bytes.Repeat([]byte{0xff}, 12)...), "64 bits"},
	} {
		_, whole, err := recordSize(test.data)
		if err == nil && (test.want != "" || whole) || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %t, %v", what, whole, err)
		}
	}
}

// Runs and deltas that the library writes are complete; parts of them, and those of other
// numbers of values, are refused.
func TestCheckRuns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		numbers, n := []int32{}, 1+random.IntN(400)
		for len(numbers) < n {
			x := random.Int32N(1 << random.IntN(20))
			for range 1 + random.IntN(1+random.IntN(30)) {
				numbers = append(numbers, x)
			}
		}
		n = len(numbers)
		data, err := library.RLEDictionary.EncodeInt32(nil, numbers)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkRuns(data[1:], int(data[0]), n); err != nil {
			t.Errorf("%d numbers of %d bits: %v", n, data[0], err)
		}
		if err := checkRuns(data[1:len(data)-1], int(data[0]), n); err == nil {
			t.Errorf("%d numbers of %d bits without the last byte: no error", n, data[0])
		}
		deltas, err := library.DeltaBinaryPacked.EncodeInt32(nil, numbers)
		if err != nil {
			t.Fatal(err)
		}
		if rest, err := checkDeltas(append(slices.Clone(deltas), 1, 2, 3), 32, n); err != nil || len(rest) < 3 {
			t.Errorf("%d deltas: %d bytes are left, %v", n, len(rest), err)
		}
		for _, other := range []int{n - 1, n + 1} {
			if _, err := checkDeltas(deltas, 32, other); err == nil {
				t.Errorf("%d deltas for %d: no error", n, other)
			}
		}
	}
	for name, data := range map[string][]byte{"run": binary.AppendUvarint(nil, 1<<40), "bit-packed run": binary.AppendUvarint(nil, 1<<63|1)} {
		if err := checkRuns(append(data, make([]byte, 100)...), 1, 1000); !errors.Is(err, columnfile.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A page that decompresses to more bytes than it states is refused, with memory for no more than
// those.
func TestInflate_Bombs(t *testing.T) {
	text := make([]byte, 64<<20)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	pages := map[format.CompressionCodec][]byte{
		format.Gzip:   zipped.Bytes(),
		format.Snappy: append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, snappy.Encode(nil, text[:1000])...),
		format.Lz4:    append([]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1}, 0),
	}
	for _, codec := range []format.CompressionCodec{format.Brotli, format.Zstd, format.Lz4Raw} {
		page, err := library.LookupCompressionCodec(codec).Encode(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		pages[codec] = page
	}
	for codec, page := range pages {
		c := cursor{file: &file{limits: columnfile.Limits{Memory: 1 << 20}}, codec: codec}
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := c.decompress(page, 1000); !errors.Is(err, columnfile.ErrDamaged) {
				t.Errorf("%s: %v", codec, err)
			}
		})
		if allocated > 1000 {
			t.Errorf("%s: %v allocations", codec, allocated)
		}
	}
}

// Numbers of 16 bits have the values of IEEE 754.
func TestHalf(t *testing.T) {
	t.Parallel()
	for x, want := range map[uint16]float64{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0x03ff: 0x3ffp-24, 0x3555: 0x1.554p-2,
	} {
		if got := columnfile.Half(x); got != want {
			t.Errorf("%#x: %v, want %v", x, got, want)
		}
	}
	if x := columnfile.Half(0x7e00); x == x {
		t.Errorf("NaN is %v", x)
	}
	if bits.Len(uint(maxLevels)) > 31 {
		t.Error("a page has more values than an int of 32 bits")
	}
}

// A row without the value of a column that must have one is an error, as is a full disk,
// whenever it becomes full.
func TestWriter_Errors(t *testing.T) {
	t.Parallel()
	columns := []columnfile.Column{{Name: "x", Kind: columnfile.Text}}
	w := columnfile.NewWriter(columnfile.Parquet, &bytes.Buffer{}, columns, nil, columnfile.WriteOptions{})
	if err := w.EndRow(); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("a missing value: %v", err)
	}
	for room := range 40 {
		out := &fullDisk{room: 100 * room}
		w := columnfile.NewWriter(columnfile.Parquet, out, columns, nil, columnfile.WriteOptions{RowGroup: 1})
		var err error
		for range 3 {
			w.Text(0, []byte("text"))
			err = errors.Join(err, w.EndRow())
		}
		failed := err
		err = errors.Join(err, w.Close())
		if out.full != errors.Is(err, errFull) || !out.full && room < 4 || failed != nil && !errors.Is(failed, errFull) {
			t.Errorf("a disk for %d bytes: %v", out.room, err)
		}
	}
}

var errFull = errors.New("no space left")

// fullDisk takes some bytes.
type fullDisk struct {
	room int
	full bool
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		d.full = true
		return 0, errFull
	}
	return len(p), nil
}

// Columns have any names, in their order, and are many.
func TestWriter_Names(t *testing.T) {
	t.Parallel()
	var columns []columnfile.Column
	for _, name := range append(strings.Split("z|a,b|a.b|ü\n|list|element|\"|a", "|"), strings.Fields(strings.Repeat("x ", 300))...) {
		if len(columns) >= 8 {
			name += strings.Repeat("y", len(columns))
		}
		columns = append(columns, columnfile.Column{Name: name, Kind: columnfile.Integer, Optional: true})
	}
	columns = append(columns, columnfile.Column{Name: "a,list", Kind: columnfile.FloatList})
	var out bytes.Buffer
	w := columnfile.NewWriter(columnfile.Parquet, &out, columns, nil, columnfile.WriteOptions{})
	for i := range columns[1:] {
		w.Integer(i, int64(i))
	}
	w.Floats(len(columns)-1, []float32{1})
	if err := errors.Join(w.EndRow(), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(out.Bytes()), int64(out.Len()), wide)
	if err != nil || len(f.Columns()) != len(columns) {
		t.Fatal(len(f.Columns()), err)
	}
	for i, c := range f.Columns() {
		if c.Name != columns[i].Name || c.Kind != columns[i].Kind {
			t.Errorf("column %d is %q, a %s, want %q, a %s", i, c.Name, c.Kind, columns[i].Name, columns[i].Kind)
		}
	}
}
