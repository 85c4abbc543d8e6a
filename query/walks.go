package query

import (
	"context"
	"io"

	"heavytail/embedding/job"
	"heavytail/storage/format"
)

// ExportWalksRequest asks to write the walks that a method learns from.
type ExportWalksRequest struct {
	Graph string
	// Method is one that learns from walks, such as "dp_walker", and Settings are
	// its options by name, as for Embed.
	Method    string
	Settings  map[string]any
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace a file that exists, which is otherwise refused
}

// exportWalksOptions are the options of the statement, beside those of its method.
func exportWalksOptions() []OptionInfo { return []OptionInfo{overwriteOption()} }

// ExportWalks writes the walks on a graph for other trainers: a walk on each
// line, its keys separated by blanks, in the order in which EMBED with the same
// options learns from them. A key with white space is refused. No walk is kept in
// memory.
func (db *DB) ExportWalks(ctx context.Context, req ExportWalksRequest) (ExportResult, error) {
	c, err := db.begin(ctx, "EXPORT WALKS")
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := c.exportWalks(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

// walkOptions checks a request but for its graph, and returns the options of its
// method.
func (c *call) walkOptions(req ExportWalksRequest, given []setting) ([]job.Option, error) {
	method, err := findMethod(req.Method)
	if err != nil {
		return nil, err
	}
	if !method.Walks {
		e := mistake(partMethod, "method %s has no walks", method.Name)
		for _, m := range Methods() {
			if m.Walks {
				e.Expected = append(e.Expected, m.Name)
			}
		}
		return nil, e
	}
	_, options, err := methodOptions(method, given)
	if err != nil {
		return nil, err
	}
	return options, c.checkOutput(req.Path, req.Overwrite, partInto)
}

func (c *call) exportWalks(req ExportWalksRequest, given []setting) (ExportResult, error) {
	options, err := c.walkOptions(req, given)
	if err != nil {
		return ExportResult{}, err
	}
	g, err := c.graph(req.Graph, partGraph)
	if err != nil {
		return ExportResult{}, err
	}
	bytes, err := job.WalkBytes(g.Graph, req.Method, options)
	if err != nil {
		return ExportResult{}, err
	}
	release, err := c.db.cache.reserve(bytes, "the walks on graph "+name(req.Graph))
	if err != nil {
		return ExportResult{}, err
	}
	defer release()
	walks, err := job.Walks(c.ctx, g.Graph, req.Method, options, c.db.opts.Workers)
	if err != nil {
		return ExportResult{}, err
	}
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteWalks(c.ctx, w, walks.Vertices, walks.Walks, g.AppendKey, func(dst []uint32, i int) []uint32 {
			const step = 1 << 8 // walks between two reports, about a millisecond
			if i%step == 0 {
				c.meter.updateUnit("writing", "walks", int64(i), int64(walks.Walks))
			}
			return walks.Append(dst, i)
		})
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(int64(walks.Walks), "")
	return ExportResult{Path: req.Path, Rows: int64(walks.Walks), Notices: c.notices}, nil
}
