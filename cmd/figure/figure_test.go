package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that outputs are compared with")

// lineChart has two lines, and points that cannot be drawn.
func lineChart() Chart {
	return Chart{
		Title: "Reconstruction by degree penalty",
		X:     Axis{Label: "degree penalty β"},
		Y:     Axis{Label: "Pearson's r of degrees"},
		Series: []Series{
			{Name: "dp_spectral, strength", Points: []Point{{0, 0.5}, {1, 0.8}, {1.5, 0.87}, {2, 0.86}, {3, math.NaN()}}},
			{Name: "dp_walker", Points: []Point{{0, 0.6}, {math.Inf(1), 1}, {1, 0.7}, {2, 0.9}}},
		},
	}
}

// degreeChart returns the degree chart of two graphs: a star of four leaves with an
// isolated vertex, and a path.
func degreeChart() Chart {
	return DegreeChart("Degrees", []Degrees{
		{Name: "star", Counts: []Count{{0, 1}, {1, 4}, {4, 1}}},
		{Name: "path", Counts: []Count{{1, 2}, {2, 98}}},
	})
}

func drawn(t *testing.T, c Chart, format Format) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := Write(&buffer, c, format); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// wellFormed reads a document of XML to its end and returns its texts.
func wellFormed(t *testing.T, document []byte) []string {
	t.Helper()
	var texts []string
	for decoder := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(data)) > 0 {
			texts = append(texts, string(data))
		}
	}
}

func TestWrite_SVG(t *testing.T) {
	c := lineChart()
	c.Series[0].Name = `a <b> & "c"` + "\x1b[31m\xff"
	document := drawn(t, c, SVG)
	texts := strings.Join(wellFormed(t, document), "\n")
	for _, want := range []string{c.Title, c.X.Label, c.Y.Label, `a <b> & "c"`, "dp_walker", "0.6", "1.5"} {
		if !strings.Contains(texts, want) {
			t.Errorf("the texts lack %q:\n%s", want, texts)
		}
	}
	if !bytes.Equal(document, drawn(t, c, SVG)) {
		t.Error("two drawings of one chart differ")
	}
}

func TestWrite_PNG(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: draws each figure as points")
	}
	document := drawn(t, degreeChart(), PNG)
	picture, err := png.Decode(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 960 || size.Y != 720 {
		t.Errorf("the picture is %v, want 960 by 720", size)
	}
	colours := map[[3]uint32]int{}
	for y := range 720 {
		for x := range 960 {
			r, g, b, a := picture.At(x, y).RGBA()
			if a != 0xffff {
				t.Fatalf("pixel %d, %d is transparent", x, y)
			}
			colours[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	for _, c := range palette[:2] {
		if colours[[3]uint32{uint32(c.R), uint32(c.G), uint32(c.B)}] < 50 {
			t.Errorf("colour %v is hardly there", c)
		}
	}
	if !bytes.Equal(document, drawn(t, degreeChart(), PNG)) {
		t.Error("two drawings of one chart differ")
	}
}

// circles finds the filled circles of an SVG by the command that draws them.
var circles = regexp.MustCompile(`<path d="M([0-9.]+),([0-9.]+)A2\.6,2\.6`)

// TestWrite_Places compares the places of the dots of the first series with those
// computed by logarithms: equal ratios of values are equal distances.
func TestWrite_Places(t *testing.T) {
	c := Chart{
		X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y"},
		Series: []Series{{Mark: Dots, Points: []Point{{1, 0}, {10, 2}, {100, 4}, {1000, 5}}}},
	}
	var x, y []float64
	for _, found := range circles.FindAllStringSubmatch(string(drawn(t, c, SVG)), -1) {
		for i, list := range []*[]float64{&x, &y} {
			v, err := strconv.ParseFloat(found[i+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			*list = append(*list, v)
		}
	}
	if len(x) != 4 {
		t.Fatalf("found %d dots, want 4", len(x))
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.05 }
	if step := x[1] - x[0]; step < 50 || !near(x[2]-x[1], step) || !near(x[3]-x[2], step) {
		t.Errorf("x is %v, want equal steps", x)
	}
	if step := y[1] - y[0]; step < 50 || !near(y[2]-y[1], step) || !near(y[3]-y[2], step/2) {
		t.Errorf("y is %v, want steps as 2 : 2 : 1", y)
	}
}

func TestWrite_Errors(t *testing.T) {
	empty := Chart{X: Axis{Log: true}, Series: []Series{{Points: []Point{{0, 1}, {-1, 1}, {math.NaN(), 1}, {1, math.Inf(1)}}}}}
	for _, f := range Formats() {
		if err := Write(io.Discard, empty, f); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s: error %v, want ErrEmpty", f, err)
		}
	}
	if err := WriteText(io.Discard, empty); !errors.Is(err, ErrEmpty) {
		t.Errorf("text: error %v, want ErrEmpty", err)
	}
	if err := Write(io.Discard, lineChart(), "gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
	full := errors.New("full")
	for _, f := range Formats() {
		if err := Write(failing{full}, lineChart(), f); !errors.Is(err, full) {
			t.Errorf("%s: error %v, want that of the writer", f, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{"a.svg": SVG, "b/c.PNG": PNG} {
		if got, err := FormatOf(path); got != want || err != nil {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for _, path := range []string{"a", "svg", "a.gif", ""} {
		if _, err := FormatOf(path); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: error %v, want ErrFormat", path, err)
		}
	}
}

// TestDegreeChart_Tail compares fractions with those counted by hand.
func TestDegreeChart_Tail(t *testing.T) {
	c := degreeChart()
	want := [][]Point{{{1, 5. / 6}, {4, 1. / 6}}, {{1, 1}, {2, 0.98}}}
	for i, s := range c.Series {
		for j, p := range s.Points {
			if p != want[i][j] || len(s.Points) != len(want[i]) {
				t.Errorf("%s: %v, want %v", s.Name, s.Points, want[i])
			}
		}
	}
}

// TestWriteText_Golden compares charts as text with golden files; -update writes them.
func TestWriteText_Golden(t *testing.T) {
	ordered := Chart{
		X: Axis{Label: "first coordinate", Bare: true}, Y: Axis{Label: "second coordinate", Bare: true}, Ordered: true,
		Series: []Series{
			{Name: "degree 1 to 9", Mark: Cloud, Points: []Point{{0, 0}, {0.3, 0.1}, {-0.5, 0.8}}},
			{Name: "degree 10 to 99", Mark: Cloud, Points: []Point{{-1, -1}}},
			{Name: "degree 100 or more", Mark: Cloud, Points: []Point{{1, -0.2}}},
		},
	}
	for name, c := range map[string]Chart{"lines": lineChart(), "degrees": degreeChart(), "ordered": ordered} {
		var got bytes.Buffer
		if err := WriteText(&got, c); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.String(), want)
		}
	}
}

// FuzzWrite draws charts of any values and texts, on axes of either kind: SVG
// must be XML, PNG a picture, and nothing may panic.
func FuzzWrite(f *testing.F) {
	f.Add("name", 0.0, 1.0, 2.0, 3.0, false, false)
	f.Add("\x00<&", 1e-300, 1e300, -1e308, 1e308, true, false)
	f.Add("é…", 5.0, 5.0, 5.0, 5.0, true, true)
	f.Add("", 1e308, 1e308, 1e16, 1e16+2, false, true)
	f.Add("", 1e-299, 1e300, -5e306, 8e306, true, false)
	f.Add("", 5e-324, 1e-310, 0.0, 5e-324, false, true)
	f.Fuzz(func(t *testing.T, name string, a, b, c, d float64, logX, logY bool) {
		chart := Chart{
			Title: name, X: Axis{Label: name, Log: logX}, Y: Axis{Label: "y", Log: logY},
			Series: []Series{{Name: name, Points: []Point{{a, c}, {b, d}}}, {Name: "b", Mark: Cloud, Points: []Point{{c, d}}}},
		}
		var text bytes.Buffer
		err := WriteText(&text, chart)
		if errors.Is(err, ErrEmpty) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, drawn(t, chart, SVG))
		if strings.Contains(text.String(), "NaN") && !strings.Contains(name, "NaN") {
			t.Errorf("a tick is NaN:\n%s", text.String())
		}
	})
}

// The number of pixels follows from the size in points and the resolution. Sizes that
// are too small or too large are errors.
func TestWrite_Size(t *testing.T) {
	t.Parallel()
	c := degreeChart()
	c.Size = Size{Width: 300, Height: 200, DPI: 36}
	picture, err := png.Decode(bytes.NewReader(drawn(t, c, PNG)))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 150 || size.Y != 100 {
		t.Errorf("the picture is %v, want 150 by 100", size)
	}
	for _, bad := range []Size{{Width: 149}, {Height: -1}, {Width: math.NaN()}, {DPI: 35}, {DPI: 1201}, {Width: 10_000, Height: 10_000, DPI: 1200}} {
		c.Size = bad
		if err := Write(io.Discard, c, PNG); !errors.Is(err, ErrSize) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// On a robust axis one point far away is drawn at the frame and counted in the title,
// so that all others have room. Without outliers nothing changes.
func TestChart_Robust(t *testing.T) {
	t.Parallel()
	c := Chart{Title: "x", X: Axis{Robust: true}, Y: Axis{Robust: true}, Series: []Series{{Mark: Cloud}}}
	for i := range 200 {
		c.Series[0].Points = append(c.Series[0].Points, Point{float64(i), float64(-i)})
	}
	if _, x, _, outside, err := c.visible(); err != nil || outside != 0 || x.max > 210 {
		t.Errorf("%d, %v, %v", outside, x, err)
	}
	c.Series[0].Points[7] = Point{1e6, 0}
	p, err := newPicture(c)
	if err != nil || p.outside != 1 || !strings.Contains(p.Title, "(1 outside") || p.x.max > 450 || p.y.min < -250 {
		t.Errorf("%q, %v, %v, %v", p.Title, p.x, p.y, err)
	}
	if at := p.Series[0].Points[7]; at.X > p.x.max {
		t.Errorf("the outlier is at %v, and the axis ends at %v", at, p.x.max)
	}
}
