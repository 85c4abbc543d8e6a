package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/embedding"
)

// FuzzReadSpectralState reads any bytes: invalid ones give ErrState; a valid state is
// written to the same bytes and can be refreshed from.
func FuzzReadSpectralState(f *testing.F) {
	ctx := context.Background()
	w := newTown(2, 2, 6, rand.New(rand.NewPCG(3, 9)))
	g := w.graph()
	o := embedding.SpectralOptions{Dim: 2, RowScale: new(0.5)}
	for _, mode := range []embedding.ComponentMode{embedding.Apart, embedding.Joint} {
		o.Components = mode
		_, state, _, err := embedding.Spectral(ctx, g, embedding.MethodDPSpectral, o)
		if err != nil {
			f.Fatal(err)
		}
		var file bytes.Buffer
		if err := state.Write(&file); err != nil {
			f.Fatal(err)
		}
		read, err := embedding.ReadSpectralState(bytes.NewReader(file.Bytes()), g.Vertices(), 2)
		if err != nil || !reflect.DeepEqual(read, state) {
			f.Fatalf("read back as %+v, %v", read, err)
		}
		f.Add(file.Bytes())
		f.Add(file.Bytes()[:file.Len()-1])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		state, err := embedding.ReadSpectralState(bytes.NewReader(data), g.Vertices(), 2)
		if err != nil {
			if !errors.Is(err, embedding.ErrState) {
				t.Errorf("error is %v", err)
			}
			return
		}
		var file bytes.Buffer
		if err := state.Write(&file); err != nil || !bytes.Equal(file.Bytes(), data) {
			t.Errorf("written again as other bytes: %v", err)
		}
		rows, _, _, err := embedding.Spectral(ctx, g, embedding.MethodDPSpectral, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, _, err := embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, o, rows, state, []uint32{1, 5}, 0); err != nil {
			t.Error(err)
		}
	})
}
