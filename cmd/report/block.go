package report

import (
	"errors"
	"html/template"
	"strings"

	"heavytail/cmd/figure"
	"heavytail/query"
)

// section is a graph.
type section struct {
	ID, Name string
	Source   string
	Tiles    []tile
	Blocks   []block
}

// tile is a figure that is seen first.
type tile struct {
	Name string
	cell
}

// block is a part of a section.
type block struct {
	ID, Title string
	Lead      string // what it shows, in a sentence or two
	Failed    string // why it shows nothing
	Pictures  []drawing
	Tables    []table
	Notes     []string
	Statement string // that gives the same figures
}

// drawing is a picture with its caption.
type drawing struct {
	SVG     template.HTML
	Legend  []legendEntry
	Caption string
	Wide    bool // over both columns
}

type legendEntry struct {
	Name   string
	Sample template.HTML
}

// newDrawing makes a picture safe for the page: package figure has escaped its texts.
func newDrawing(in figure.Inline, caption string) drawing {
	d := drawing{SVG: template.HTML(in.SVG), Caption: caption}
	for _, e := range in.Legend {
		d.Legend = append(d.Legend, legendEntry{e.Name, template.HTML(e.Sample)})
	}
	return d
}

// reasonOf keeps a mistake or a limit as the reason why a block is empty, and returns any
// other error, such as damage of the file.
func reasonOf(err error, b *block) error {
	var mistake *query.Error
	var limit *query.LimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistake):
		b.Failed = mistake.Error()
	case errors.As(err, &limit):
		b.Failed = limit.Error()
	case errors.Is(err, figure.ErrEmpty):
		b.Failed = "there is nothing to draw"
	default:
		return err
	}
	*b = block{ID: b.ID, Title: b.Title, Failed: b.Failed}
	return nil
}

// note appends notices of a result.
func (b *block) note(notices []query.Notice) {
	for _, n := range notices {
		b.Notes = append(b.Notes, sentence(n.String()))
	}
}

// sentence is a clause with a capital and a full stop.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + strings.TrimSuffix(clause[1:], ".") + "."
}
