package report

import (
	"errors"
	"html/template"
	"strings"

	"heavytail/cmd/figure"
	"heavytail/query/fault"
	"heavytail/query/rows"
)

// section is the part of the page about one graph.
type section struct {
	ID, Name string
	Source   string
	Tiles    []tile
	Blocks   []block
}

// tile is one of the most important figures, which come first on the page.
type tile struct {
	Name string
	cell
}

type block struct {
	ID, Title string
	Lead      string // what the block shows, in a sentence or two
	Failed    string // why the block has no content; "" if it has
	Pictures  []drawing
	Tables    []table
	Notes     []string
	Statement string // the statement that returns the same figures
}

type drawing struct {
	SVG     template.HTML // with its texts escaped by package figure
	Legend  []figure.LegendEntry
	Caption string
	Wide    bool // over both columns
}

func newDrawing(in figure.Inline, caption string) drawing {
	return drawing{SVG: template.HTML(in.SVG), Legend: in.Legend, Caption: caption}
}

// reasonOf stores a *fault.Error or *fault.LimitError in the block, as the reason why it
// is empty. It returns any other error, such as that of a damaged file.
func reasonOf(err error, b *block) error {
	var mistake *fault.Error
	var limit *fault.LimitError
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

func (b *block) note(notices []rows.Notice) {
	for _, n := range notices {
		b.Notes = append(b.Notes, sentence(groupedWords(n.String())))
	}
}

// sentence returns a clause with a capital and a full stop.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + strings.TrimSuffix(clause[1:], ".") + "."
}
