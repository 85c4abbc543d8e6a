package report

import (
	"bytes"
	"context"
	_ "embed" // of the layout and the style
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"heavytail/cmd/figure"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage"
)

// Write writes the page into w. If there is an error, w receives nothing. Errors are
// ErrNoGraphs; those of the database, such as for an unknown graph or a damaged file; and
// that of ctx. If a part cannot be computed, such as the links of a graph without edges,
// the page has the reason in its place.
func Write(ctx context.Context, db *query.DB, w io.Writer, opts Options) error {
	opts = opts.withDefaults()
	p, err := newPage(ctx, db, opts)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := layout().Execute(&b, p); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

//go:embed style.css
var style string

//go:embed page.html
var pageHTML string

// layout parses the template of the page, which escapes every text by its place. Its function text
// escapes as for a terminal before: a mark of direction in a key would reorder the line around it.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"text": parser.Escape,
		"svg":  func(sample string) template.HTML { return template.HTML(sample) }, // escaped by package figure
	}).Parse(pageHTML))
})

type page struct {
	Title, Date string
	Facts       []tile
	Style       template.CSS
	Sections    []section
	Work        []block // of the file
}

func newPage(ctx context.Context, db *query.DB, opts Options) (page, error) {
	p := page{Title: opts.Title, Date: opts.Date, Style: template.CSS(style + figure.InlineStyle())}
	if p.Title == "" {
		p.Title = filepath.Base(db.Path())
	}
	stats, err := db.Maintenance().Stats(ctx)
	if err != nil {
		return p, err
	}
	graphs, err := db.Graphs().List(ctx)
	if err != nil {
		return p, err
	}
	chosen, err := chosenGraphs(graphs, opts.Graphs)
	if err != nil {
		return p, err
	}
	p.Facts = fileFacts(stats, len(graphs))
	for i, info := range chosen {
		g := &graph{ctx: ctx, db: db, opts: opts, info: info, id: fmt.Sprintf("g%d", i+1)}
		s, err := g.section()
		if err != nil {
			return p, err
		}
		p.Sections = append(p.Sections, s)
	}
	if !slices.Contains(opts.Skip, Work) {
		p.Work, err = fileWork(ctx, db, graphNames(chosen))
	}
	return p, err
}

func graphNames(graphs []storage.GraphInfo) []string {
	var names []string
	for _, g := range graphs {
		names = append(names, g.Name)
	}
	return names
}

// chosenGraphs returns the graphs with the given names, in the order of the names, or all
// graphs if there are no names.
func chosenGraphs(all []storage.GraphInfo, names []string) ([]storage.GraphInfo, error) {
	if len(all) == 0 {
		return nil, ErrNoGraphs
	}
	if names == nil {
		return all, nil
	}
	var chosen []storage.GraphInfo
	for _, name := range names {
		i := slices.IndexFunc(all, func(g storage.GraphInfo) bool { return g.Name == name })
		if i < 0 {
			err := fmt.Errorf("unknown graph %q", name)
			if near, ok := parser.Suggest(name, graphNames(all)); ok {
				err = fmt.Errorf("%w: did you mean %q?", err, near)
			}
			return nil, err
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func (g *graph) section() (section, error) {
	s := section{ID: g.id, Name: g.info.Name, Source: g.info.Source}
	if err := g.prepare(); err != nil {
		return s, err
	}
	card, tiles, err := g.card()
	if err != nil {
		return s, err
	}
	s.Tiles, s.Blocks = tiles, []block{card}
	for _, part := range []struct {
		name  Part
		title string
		make  func(*block) error
	}{
		{Picture, "The network", g.picture}, {Degrees, "Degrees", g.degreeBlock}, {Embeddings, "Embeddings", g.embeddingBlock},
		{Links, "Prediction of links", g.linkBlock}, {Links, "Recommendations", g.rankingBlock}, {Links, "Models of links", g.modelBlock},
		{Measures, "Vertices and their attributes", g.measureBlock}, {Communities, "Communities", g.communityBlock},
	} {
		if slices.Contains(g.opts.Skip, part.name) {
			continue
		}
		b := block{Title: part.title, ID: g.id + "-" + strings.ReplaceAll(strings.ToLower(part.title), " ", "-")}
		if err := reasonOf(part.make(&b), &b); err != nil {
			return s, err
		}
		if b.Lead != "" || b.Failed != "" { // a block with neither is empty
			s.Blocks = append(s.Blocks, b)
		}
	}
	return s, nil
}
