package figure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// The size of a chart in a terminal of 80 columns and 24 rows, without labels.
const (
	textColumns = 64
	textRows    = 16
)

// textMarks are the dots of series in text; those of ordered classes become darker.
const (
	textMarks    = "*+ox#%@&ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	restMark     = '.'
	orderedMarks = ".:-=+*%@"
)

// WriteText draws a chart into w as lines of text, with a mark for each series.
// Lines are drawn as their points, joined where the terminal has room between them.
// The error is ErrEmpty or that of w.
func WriteText(w io.Writer, c Chart) error {
	p, err := newPicture(c)
	if err != nil {
		return err
	}
	var text strings.Builder
	if c.Title != "" {
		text.WriteString(printable(c.Title) + "\n")
	}
	p.writeGrid(&text)
	p.writeNames(&text)
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

func (p picture) textMark(i int) byte {
	switch {
	case p.Series[i].Rest:
		return restMark
	case !p.Ordered:
		return textMarks[i%len(textMarks)]
	}
	return orderedMarks[i*(len(orderedMarks)-1)/max(1, len(p.Series)-1)]
}

// cells is the grid of characters, from the top row down.
func (p picture) cells() [textRows][textColumns]byte {
	var grid [textRows][textColumns]byte
	for row := range grid {
		for column := range grid[row] {
			grid[row][column] = ' '
		}
	}
	set := func(x, y float64, mark byte, over bool) {
		column := min(textColumns-1, max(0, int(x*textColumns)))
		row := min(textRows-1, max(0, int((1-y)*textRows)))
		if over || grid[row][column] == ' ' {
			grid[row][column] = mark
		}
	}
	for i, s := range p.Series {
		var lastX, lastY float64
		for j, point := range s.Points {
			x, y := p.Chart.X.fraction(p.x, point.X), p.Chart.Y.fraction(p.y, point.Y)
			if (s.Mark == Line || s.Mark == Stroke) && j > 0 {
				joinCells(lastX, lastY, x, y, func(x, y float64) { set(x, y, '.', false) })
			}
			set(x, y, p.textMark(i), true)
			lastX, lastY = x, y
		}
	}
	return grid
}

// joinCells calls f for the cells between two points.
func joinCells(x0, y0, x1, y1 float64, f func(x, y float64)) {
	steps := int(math.Ceil(max(math.Abs(x1-x0)*textColumns, math.Abs(y1-y0)*textRows)))
	for i := 1; i < steps; i++ {
		part := float64(i) / float64(steps)
		f(x0+part*(x1-x0), y0+part*(y1-y0))
	}
}

// writeGrid writes the cells with the texts of the axes.
func (p picture) writeGrid(text *strings.Builder) {
	labels := [textRows]string{}
	wide := 0
	for _, t := range p.Chart.Y.ticks(p.y) {
		row := min(textRows-1, max(0, int((1-p.Chart.Y.fraction(p.y, t.at))*textRows)))
		if t.label != "" {
			labels[row] = t.label
			wide = max(wide, len(t.label))
		}
	}
	fmt.Fprintf(text, "%s\n", p.Chart.Y.Label)
	for row, cells := range p.cells() {
		side := "│"
		if labels[row] != "" {
			side = "┤"
		}
		line := fmt.Sprintf(" %*s %s%s", wide, labels[row], side, cells[:])
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	rule, below := p.bottom()
	fmt.Fprintf(text, " %*s └%s\n", wide, "", rule)
	if below != "" {
		fmt.Fprintf(text, " %*s  %s\n", wide, "", below)
	}
	pad := max(0, (textColumns-utf8.RuneCountInString(p.Chart.X.Label))/2)
	fmt.Fprintf(text, " %*s  %s%s\n", wide, "", strings.Repeat(" ", pad), p.Chart.X.Label)
}

// bottom returns the lower axis, and those of its texts that fit.
func (p picture) bottom() (rule, texts string) {
	line := []rune(strings.Repeat("─", textColumns))
	labels := []byte(strings.Repeat(" ", textColumns+8))
	free := 0
	for _, t := range p.Chart.X.ticks(p.x) {
		column := min(textColumns-1, int(p.Chart.X.fraction(p.x, t.at)*textColumns))
		start := max(0, column-len(t.label)/2)
		if t.label == "" || start < free || start+len(t.label) > len(labels) {
			continue
		}
		line[column] = '┬'
		copy(labels[start:], t.label)
		free = start + len(t.label) + 1
	}
	return string(line), strings.TrimRight(string(labels), " ")
}

// writeNames writes which mark is which series.
func (p picture) writeNames(text *strings.Builder) {
	for i, s := range p.Series {
		if s.Name == "" {
			continue
		}
		fmt.Fprintf(text, "   %c %s\n", p.textMark(i), s.Name)
	}
}
