package format_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/vectorfile"
)

// vectors is what a reader of vectors gave.
type vectors struct {
	rows, dim int
	keys      []string
	values    []float32
}

func (v *vectors) handler() format.VectorHandler {
	return format.VectorHandler{
		Shape: func(rows, dim int) error {
			v.rows, v.dim = rows, dim
			return nil
		},
		Row: func(key []byte, values []float32) error {
			v.keys = append(v.keys, string(key))
			v.values = append(v.values, values...)
			return nil
		},
	}
}

func (v *vectors) row(i int) []float32 { return v.values[i*v.dim : (i+1)*v.dim] }

// readVectorsAs reads data in a format: text, binary or npy.
func readVectorsAs(form string, data []byte, opts format.VectorOptions) (*vectors, error) {
	v := &vectors{}
	if form == "npy" {
		return v, vectorfile.ReadNPY(context.Background(), bytes.NewReader(data), opts, v.handler())
	}
	opts.Binary = form == "binary"
	return v, vectorfile.ReadWord2Vec(context.Background(), bytes.NewReader(data), opts, v.handler())
}

// writeVectorsAs is the counterpart of readVectorsAs.
func writeVectorsAs(form string, v *vectors) ([]byte, error) {
	var out bytes.Buffer
	var err error
	switch form {
	case "npy":
		err = vectorfile.WriteNPY(context.Background(), &out, v.rows, v.dim, v.row)
	case "binary":
		err = vectorfile.WriteWord2VecBinary(context.Background(), &out, v.rows, v.dim, appendKeys(v.keys), v.row)
	default:
		err = vectorfile.WriteWord2Vec(context.Background(), &out, v.rows, v.dim, appendKeys(v.keys), v.row)
	}
	return out.Bytes(), err
}

func TestReadVectors_OtherPrograms(t *testing.T) {
	want := []float32{1, -0.5, 1e-20, 0.1, 3.4028235e38, 0}
	for form, file := range map[string]string{"text": "gensim.txt", "binary": "gensim.bin", "npy": "numpy.npy"} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{data, gzipped(t, data)} {
			v, err := readVectorsAs(form, data, format.VectorOptions{})
			if err != nil || v.rows != 2 || v.dim != 3 || fmt.Sprint(v.values) != fmt.Sprint(want) {
				t.Errorf("%s: %+v, %v", file, v, err)
			}
			if form != "npy" && strings.Join(v.keys, " ") != "ada Zoë" {
				t.Errorf("%s: keys %q", file, v.keys)
			}
		}
	}
}

func TestReadVectors_RoundTrip(t *testing.T) {
	v := &vectors{rows: 300, dim: 7}
	for i := range v.rows {
		v.keys = append(v.keys, fmt.Sprintf("vertex%d\n", i)[:6+len(fmt.Sprint(i))])
		for j := range v.dim {
			v.values = append(v.values, float32(math.Sin(float64(i*v.dim+j)))*float32(math.Pow(10, float64(j-3))))
		}
	}
	for _, form := range []string{"text", "binary", "npy"} {
		data, err := writeVectorsAs(form, v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readVectorsAs(form, data, format.VectorOptions{})
		if err != nil || fmt.Sprint(got.values) != fmt.Sprint(v.values) || form != "npy" && fmt.Sprint(got.keys) != fmt.Sprint(v.keys) {
			t.Errorf("%s: %v", form, err)
		}
		for cut := 0; cut < len(data)-2; cut += 97 {
			if _, err := readVectorsAs(form, data[:cut], format.VectorOptions{}); !errors.Is(err, format.ErrSyntax) {
				t.Fatalf("%s cut at %d: %v", form, cut, err)
			}
		}
	}
}

func TestReadVectors_Malformed(t *testing.T) {
	long := strings.Repeat("k", 1025)
	npy := func(shape string) string {
		text := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n"
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), 0}) + text
	}
	for _, c := range []struct{ form, data, want string }{
		{"text", "", "v: header: the file ends here, of 0 rows"},
		{"text", "2\n", `v: header: expected the numbers of rows and of values, found "2"`},
		{"text", "2 x\n", `v: header: expected the numbers of rows and of values, found "x"`},
		{"text", "1 2 3\n", `v: header: expected the numbers of rows and of values, found "2"`},
		{"text", "1 70000\n", "v: header: rows of 70000 values exceed the limit of 65536"},
		{"text", "2 1\na 1\n", "v: row 2: the file ends here, of 2 rows"},
		{"text", "1 1\na 1\nb 2\n", "v: row 2: there is more than the 1 rows declared"},
		{"text", "1 2\na 1\n", "v: row 1: 1 values instead of 2"},
		{"text", "1 1\na 1 2\n", "v: row 1: more than 1 values"},
		{"text", "1 1\na nan\n", `v: row 1: "nan" is not a decimal number that a float32 can hold`},
		{"text", "1 1\na 1e39\n", `v: row 1: "1e39" is not a decimal number that a float32 can hold`},
		{"text", "1 1\n\n", `v: row 1: key "": it is empty`},
		{"text", "1 1\n" + long + " 1\n", `v: row 1: "` + long[:40] + `"… has more than 1024 bytes`},
		{"text", "1 1\na " + strings.Repeat("1", 65) + "\n", `has more than 64 bytes`},
		{"binary", "1 1\na \x00\x00", "v: row 1: the file ends here, of 1 rows"},
		{"binary", "1 1\na \x00\x00\xc0\x7f", "v: row 1: the value of dimension 1 is not finite"},
		{"binary", "1 1\n \x00\x00\x00\x00", `v: row 1: key "": it is empty`},
		{"binary", "1 1\na\xff \x00\x00\x00\x00", `v: row 1: key "a\xff": it is not valid UTF-8`},
		{"binary", "1 1\n" + long + " ", "has more than 1024 bytes"},
		{"npy", "\x93NUMPY\x02\x00\x00\x00", "v: header: not a file of numpy's format 1.0"},
		{"npy", npy("(3,)"), "v: header: only matrices, with two dimensions, of float16, float32 or float64 are read, not"},
		{"npy", strings.Replace(npy("(1, 1)"), "<f4", "<i8", 1), "v: header: only matrices"},
		{"npy", strings.NewReplacer("False", "True", "}\n", "} \n").Replace(npy("(1, 1)")), "numpy.ascontiguousarray(matrix) stores it by rows"},
		{"npy", strings.Replace(npy("(1, 1)"), "<f4", "<f8", 1) + "\x00\x00\x00\x00", "v: row 1: the file ends here, of 1 rows"},
		{"npy", strings.Replace(npy("(1, 1)"), "<f4", "<f8", 1) + "\x00\x00\x00\x00\x00\x00\xf0\x7f", "v: row 1: the value of dimension 1 is not finite"},
		{"npy", strings.Replace(npy("(1, 1)"), "<f4", ">f8", 1) + "\x7f\xe0\x00\x00\x00\x00\x00\x00", "which a float32 cannot hold"},
		{"npy", strings.Replace(npy("(1, 1)"), "<f4", "<f2", 1) + "\x00\x7e", "v: row 1: the value of dimension 1 is not finite"},
		{"npy", npy("(1, 2)") + "\x00\x00\x00\x00", "v: row 1: the file ends here, of 1 rows"},
		{"npy", npy("(1, 1)") + "\x00\x00\x00\x00\x01", "v: row 2: there is more than the 1 rows declared"},
		{"npy", npy("(1, 99999999)"), "v: header: rows of 99999999 values exceed the limit of 65536"},
	} {
		_, err := readVectorsAs(c.form, []byte(c.data), format.VectorOptions{Name: "v"})
		var fault *vectorfile.Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: %v, want %s", c.form, c.data, err, c.want)
		}
	}
	if _, err := readVectorsAs("text", []byte("\ufeff1 1\na 1\n"), format.VectorOptions{}); err != nil {
		t.Errorf("a byte order mark: %v", err)
	}
	if _, err := readVectorsAs("text", []byte("9 1\na 1\na 1\na 1\na 1\n"), format.VectorOptions{MaxBytes: 10}); !errors.Is(err, format.ErrLimit) {
		t.Errorf("bytes: %v", err)
	}
	if _, err := readVectorsAs("text", nil, format.VectorOptions{MaxDim: -1}); !errors.Is(err, format.ErrOptions) {
		t.Errorf("options: %v", err)
	}
	stop := errors.New("enough")
	for _, h := range []format.VectorHandler{
		{Shape: func(int, int) error { return stop }},
		{Shape: func(int, int) error { return nil }, Row: func([]byte, []float32) error { return stop }},
	} {
		if err := vectorfile.ReadWord2Vec(t.Context(), strings.NewReader("1 1\na 1\n"), format.VectorOptions{}, h); err != stop {
			t.Errorf("handler: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := vectorfile.ReadNPY(ctx, io.LimitReader(endless{}, 1<<40), format.VectorOptions{}, format.VectorHandler{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzReadVectors reads arbitrary bytes in all formats; what is read is written
// and read back equal.
func FuzzReadVectors(f *testing.F) {
	for form, file := range []string{"gensim.txt", "gensim.bin", "numpy.npy"} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(form))
	}
	f.Add([]byte("2 0\na \nb\n\n"), uint8(0))
	f.Add([]byte("999999999999999999 1\na 1 \r\n"), uint8(0))
	forms := []string{"text", "binary", "npy"}
	f.Fuzz(func(t *testing.T, data []byte, form uint8) {
		opts := format.VectorOptions{MaxDim: 50, MaxKey: 20, MaxBytes: 1 << 16}
		name := forms[int(form)%len(forms)]
		v, err := readVectorsAs(name, data, opts)
		if err != nil {
			if !errors.Is(err, format.ErrSyntax) && !errors.Is(err, format.ErrLimit) && !errors.Is(err, format.ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if name == "npy" && v.dim == 0 {
			return // of any number of rows
		}
		written, err := writeVectorsAs(name, v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readVectorsAs(name, written, opts)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(v) {
			t.Fatalf("%v, read %+v, want %+v", err, again, v)
		}
	})
}

// What numpy writes in other forms of numbers gives the nearest float32. The bytes are those
// of numpy.array([[1.5, -2], [0.1, 6e-8]], dtype).tobytes().
func TestReadNPY_Numbers(t *testing.T) {
	t.Parallel()
	for dtype, c := range map[string]struct {
		hex  string
		want []float32
	}{
		"<f2": {"003e00c0662e0100", []float32{1.5, -2.0, 0.0999755859375, 5.960464477539063e-08}},
		">f2": {"3e00c0002e660001", []float32{1.5, -2.0, 0.0999755859375, 5.960464477539063e-08}},
		"<f4": {"0000c03f000000c0cdcccc3d59d98033", []float32{1.5, -2.0, 0.10000000149011612, 5.99999978589949e-08}},
		">f4": {"3fc00000c00000003dcccccd3380d959", []float32{1.5, -2.0, 0.10000000149011612, 5.99999978589949e-08}},
		"<f8": {"000000000000f83f00000000000000c09a9999999999b93f2b69a4292b1b703e", []float32{1.5, -2.0, 0.10000000149011612, 5.99999978589949e-08}},
		">f8": {"3ff8000000000000c0000000000000003fb999999999999a3e701b2b29a4692b", []float32{1.5, -2.0, 0.10000000149011612, 5.99999978589949e-08}},
	} {
		text := "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (2, 2), }\n"
		rows, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		err = vectorfile.ReadNPY(t.Context(), strings.NewReader("\x93NUMPY\x01\x00"+string([]byte{byte(len(text)), 0})+text+string(rows)), format.VectorOptions{}, format.VectorHandler{
			Shape: func(int, int) error { return nil },
			Row:   func(_ []byte, values []float32) error { got = append(got, values...); return nil },
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", dtype, got, err, c.want)
		}
	}
}
