package graphtext

import (
	"bytes"
	"context"
	"slices"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/tokens"
)

// Beginning returns the layout of the first bytes of a text, without a byte order mark, or "" if they are
// those of none of this package. A JSON text has no ending of its name, and some endings are not those of networks of Pajek.
func Beginning(text []byte, ending string) format.Layout {
	if bannerAbove(text) {
		return format.LayoutMatrixMarket
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, start := range []string{"<?xml", "<graphml", "<!DOCTYPE graphml", "<gexf"} {
		switch {
		case !bytes.HasPrefix(text, []byte(start)):
		case bytes.Contains(text, []byte("<gexf")) && !bytes.Contains(text, []byte("<graphml")):
			return format.LayoutGEXF
		default:
			return format.LayoutGraphML
		}
	}
	switch {
	case tokens.BeginsGML(text):
		return format.LayoutGML
	case beginsPajek(text) && !slices.Contains(pajekOthers, ending):
		return format.LayoutPajek
	}
	if object, ok := bytes.CutPrefix(text, []byte("{")); ok && ending == "" && bytes.HasPrefix(bytes.TrimLeft(object, " \t\r\n"), []byte(`"`)) {
		return format.LayoutJSON
	}
	return ""
}

// Lines returns the reader of a layout that is read line by line, or nil for the others.
func Lines(ctx context.Context, opts format.Options, h format.Handler) *feed.Lines {
	switch opts.Layout {
	case format.LayoutAdjacency:
		return &newAdjacency(opts, h).Lines
	case format.LayoutMatrix:
		return &newDense(opts, h).Lines
	case format.LayoutMETIS:
		return &newMETIS(opts, h).Lines
	case format.LayoutPajek:
		return &newPajek(opts, h).Lines
	case format.LayoutMatrixMarket:
		return &newMatrix(ctx, opts, h).Lines
	}
	return nil
}

// Read reads a text of a layout that is read token by token: GraphML, GEXF, JSON or GML.
func Read(f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	switch opts.Layout {
	case format.LayoutGraphML:
		return readGraphML(f, opts, h)
	case format.LayoutGEXF:
		return readGEXF(f, opts, h)
	case format.LayoutJSON:
		return readNodeLink(f, opts, h)
	}
	return readGML(f, opts, h)
}
