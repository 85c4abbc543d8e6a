package figure

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// ringNetwork is a ring of n vertices in three classes.
func ringNetwork(n int) Network {
	picture := Network{Title: "ring <1>", Classes: []string{"red", "blue", "other values"}, Rest: true}
	for i := range n {
		picture.Vertices = append(picture.Vertices, Node{X: float64(i % 10), Y: float64(i / 10), Weight: float64(i), Class: i % 3, Label: fmt.Sprintf("v%d", i)})
		picture.Edges = append(picture.Edges, [2]int32{int32(i), int32((i + 1) % n)})
	}
	return picture
}

func network(t *testing.T, n Network, format Format) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := WriteNetwork(&buffer, n, format); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func TestWriteNetwork(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		first := network(t, ringNetwork(60), format)
		if testing.Short() && format == PNG {
			continue // -short: one large image
		}
		if !bytes.Equal(first, network(t, ringNetwork(60), format)) {
			t.Errorf("two pictures in %s differ", format)
		}
		network(t, ringNetwork(1), format) // no size, and an edge to itself
	}
	texts := strings.Join(wellFormed(t, network(t, ringNetwork(60), SVG)), "\n")
	for _, want := range []string{"ring <1>", "red", "blue", "other values", "v59"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	if !bytes.HasPrefix(network(t, ringNetwork(5), PDF), []byte("%PDF-")) {
		t.Error("PDF begins otherwise")
	}
	if err := WriteNetwork(&bytes.Buffer{}, Network{}, SVG); err != ErrEmpty {
		t.Errorf("the error without vertices is %v", err)
	}
}

// Labels that hide each other are left out, those of less weight first.
func TestWriteNetwork_Labels(t *testing.T) {
	t.Parallel()
	n := ringNetwork(12)
	for i := range n.Vertices {
		n.Vertices[i].X, n.Vertices[i].Y = 0, 0
	}
	n.Vertices[0].X = 1e6
	texts := strings.Join(wellFormed(t, network(t, n, SVG)), "\n")
	if !strings.Contains(texts, "v11") || strings.Contains(texts, "v10") || !strings.Contains(texts, "v0") {
		t.Errorf("the labels are\n%s", texts)
	}
}

// Classes beyond the number of colours differ in shape, and vertices in no class are
// grey.
func TestGlyph_Nodes(t *testing.T) {
	t.Parallel()
	c := Chart{}
	seen := map[string]int{}
	for i := range 15 {
		c.Series = append(c.Series, Series{Mark: Nodes, Rest: i == 14})
	}
	for i := range c.Series {
		g := c.glyph(i)
		looks := fmt.Sprintf("%T %v", g.Shape, g.Color)
		if before, twice := seen[looks]; twice {
			t.Errorf("classes %d and %d look the same", before, i)
		}
		seen[looks] = i
	}
	if c.colour(14) != rest {
		t.Error("the rest has a colour")
	}
}
