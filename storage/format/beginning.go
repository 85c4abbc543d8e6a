package format

import (
	"bytes"
	"context"
	"slices"

	"heavytail/storage/format/internal/tokens"
)

// Beginning returns the layout of the first bytes of a text, without a byte order mark, or "" if they are
// those of none of this package. A JSON text has no ending of its name, and some endings are not those of networks of Pajek.
func Beginning(text []byte, ending string) Layout {
	if bannerAbove(text) {
		return LayoutMatrixMarket
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, start := range []string{"<?xml", "<graphml", "<!DOCTYPE graphml", "<gexf"} {
		switch {
		case !bytes.HasPrefix(text, []byte(start)):
		case bytes.Contains(text, []byte("<gexf")) && !bytes.Contains(text, []byte("<graphml")):
			return LayoutGEXF
		default:
			return LayoutGraphML
		}
	}
	switch {
	case tokens.BeginsGML(text):
		return LayoutGML
	case beginsPajek(text) && !slices.Contains(pajekOthers, ending):
		return LayoutPajek
	}
	if object, ok := bytes.CutPrefix(text, []byte("{")); ok && ending == "" && bytes.HasPrefix(bytes.TrimLeft(object, " \t\r\n"), []byte(`"`)) {
		return LayoutJSON
	}
	return ""
}

// LinesOf returns the reader of a layout that is read line by line, or nil for the others.
func LinesOf(ctx context.Context, opts Options, h Handler) *lines {
	switch opts.Layout {
	case LayoutAdjacency:
		return &newAdjacency(opts, h).lines
	case LayoutMatrix:
		return &newDense(opts, h).lines
	case LayoutMETIS:
		return &newMETIS(opts, h).lines
	case LayoutPajek:
		return &newPajek(opts, h).lines
	case LayoutMatrixMarket:
		return &newMatrix(ctx, opts, h).lines
	}
	return nil
}

// ReadTokens reads a text of a layout that is read token by token: GraphML, GEXF, JSON or GML.
func ReadTokens(f *feed, opts Options, h Handler) (ReadStats, error) {
	switch opts.Layout {
	case LayoutGraphML:
		return readGraphML(f, opts, h)
	case LayoutGEXF:
		return readGEXF(f, opts, h)
	case LayoutJSON:
		return readNodeLink(f, opts, h)
	}
	return readGML(f, opts, h)
}
