package vec

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
)

func TestWriteRows_ReadBack(t *testing.T) {
	for _, shape := range [][3]int{{0, 5, 5}, {3, 0, 0}, {1, 1, 1}, {700, 33, 48}, {3, 3 * streamValues, 3 * streamValues}} {
		p := Panel{Data: make([]float32, shape[0]*shape[2]), Rows: shape[0], Cols: shape[1], Stride: shape[2]}
		for i := range p.Data {
			p.Data[i] = float32(i) / 3
		}
		var b bytes.Buffer
		if err := WriteRows(&b, p); err != nil || b.Len() != 4*p.Rows*p.Cols {
			t.Fatalf("%v: %d bytes, %v", shape, b.Len(), err)
		}
		written := bytes.Clone(b.Bytes())
		m, err := ReadRows(&b, p.Rows, p.Cols)
		if err != nil || m.Rows != p.Rows || m.Dim != p.Cols {
			t.Fatalf("%v: %v", shape, err)
		}
		for i := range p.Rows {
			if !slices.Equal(m.Row(i), p.Data[i*p.Stride:][:p.Cols]) {
				t.Fatalf("%v: row %d differs", shape, i)
			}
		}
		if len(written) > 0 {
			if _, err := ReadRows(bytes.NewReader(written[:len(written)-1]), p.Rows, p.Cols); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v, cut off: %v", shape, err)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var b bytes.Buffer
		if err := WriteRows(&b, Panel{Data: []float32{1, float32(x)}, Rows: 2, Cols: 1, Stride: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(&b, 2, 1); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%v: %v", x, err)
		}
	}
}
