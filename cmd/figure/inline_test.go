package figure

import (
	"regexp"
	"strings"
	"testing"
)

// An inline chart is well formed, its texts are escaped and its points are in the right
// places. The chart and its legend are the same each time.
func TestNewInline(t *testing.T) {
	t.Parallel()
	c := degreeChart()
	c.Series[0].Name = `a <b> & "c"`
	c.Title = "</svg><script>"
	c.Series = append(c.Series, Series{Name: "law", Mark: Stroke, Points: []Point{{1, 1}, {4, 0.1}}}, Series{Name: "none"})
	in, err := NewInline(c, "x", `about <i> & "q"`)
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Join(wellFormed(t, []byte(in.SVG)), "\n")
	for _, want := range []string{c.Title, `about <i> & "q"`, "degree d", "0.1"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	if again, _ := NewInline(c, "x", `about <i> & "q"`); again.SVG != in.SVG {
		t.Error("two drawings differ")
	}
	if len(in.Legend) != 3 || in.Legend[0].Name != c.Series[0].Name || strings.Contains(in.Legend[2].Sample, "dots") {
		t.Errorf("the legend is %v", in.Legend)
	}
	for _, e := range in.Legend {
		wellFormed(t, []byte(e.Sample))
	}
	if n := len(regexp.MustCompile(`class="dots s\d (round|square)"`).FindAllString(in.SVG, -1)); n != 2 {
		t.Errorf("%d series of dots in %s", n, in.SVG)
	}
	if _, err := NewInline(Chart{}, "x", ""); err != ErrEmpty {
		t.Errorf("an empty chart: %v", err)
	}
}

// An inline network has every vertex and edge once, and classes beyond the colours have
// another shape; labels that hide others are left out.
func TestNewInlineNetwork(t *testing.T) {
	t.Parallel()
	n := Network{Title: "n", Rest: true}
	for i := range 10 {
		n.Classes = append(n.Classes, string(rune('a'+i)))
		n.Vertices = append(n.Vertices, Node{X: float64(i), Y: float64(i * i % 7), Weight: float64(i), Class: i, Label: "<v>"})
		if i > 0 {
			n.Edges = append(n.Edges, [2]int32{int32(i - 1), int32(i)})
		}
	}
	n.Vertices = append(n.Vertices, Node{X: 9, Y: 4, Label: "hidden"})
	in, err := NewInlineNetwork(n, "x", "about")
	if err != nil {
		t.Fatal(err)
	}
	texts := wellFormed(t, []byte(in.SVG))
	if joined := strings.Join(texts, "\n"); strings.Contains(joined, "hidden") || !strings.Contains(joined, "<v>") {
		t.Errorf("the labels are %v", texts)
	}
	nodes := regexp.MustCompile(`class="node (s\d|rest) (round|square)"[^>]*d="([^"]*)"`).FindAllStringSubmatch(in.SVG, -1)
	points, square := 0, 0
	for _, m := range nodes {
		points += strings.Count(m[3], "h0")
		if m[2] == "square" {
			square++
		}
	}
	if points != 11 || square != 2 {
		t.Errorf("%d vertices, %d classes with squares", points, square)
	}
	if edges := strings.Count(in.SVG[:strings.Index(in.SVG, "</g>")], "L"); edges != 9 {
		t.Errorf("%d edges", edges)
	}
}

// The style has every colour that pictures use, once for light pages and once for dark.
func TestInlineStyle(t *testing.T) {
	t.Parallel()
	style := InlineStyle()
	for _, name := range []string{"--s0:", "--s6:", "--q0:", "--q7:", "--rest:"} {
		if strings.Count(style, name) != 2 {
			t.Errorf("%s is %d times in\n%s", name, strings.Count(style, name), style)
		}
	}
}
