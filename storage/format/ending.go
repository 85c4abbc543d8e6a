package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/storage/internal/compress"
	"heavytail/storage/internal/excerpt"
)

// Ending returns the extension of a file name in lower case with its dot, such as ".csv" for
// "dir/People.CSV.gz". The extension of a compressed file (.gz, .zst, .bz2, .xz, .zip) is skipped.
// A name without another extension gives "".
func Ending(name string) string {
	base := compress.CutEnding(filepath.Base(name))
	return strings.ToLower(filepath.Ext(strings.TrimPrefix(base, ".")))
}

// EndingError reports a file name whose extension belongs to no known format. It wraps
// ErrEnding.
type EndingError struct {
	Name   string // of the file
	Ending string
	Known  []string // endings that are known, in order
}

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: the ending %s is none of %s", nameOr(e.Name), excerpt.Of([]byte(e.Ending)), strings.Join(e.Known, ", "))
}

func (e *EndingError) Unwrap() error { return ErrEnding }

// The extensions of texts that can be read, by layout. A name without an extension, or the name
// "-", means an edge list.
var (
	edgeEndings = []string{".txt", ".edges", ".edgelist", ".edge", ".el", ".csv", ".tsv", ".ssv", ".tab", ".dat", ".data", ".ncol", ".links", ".pairs", ".lg", ".jlg"}

	layoutEndings = []struct {
		layout  Layout
		endings []string
	}{
		{LayoutEdges, edgeEndings},
		{LayoutAdjacency, []string{".adjlist", ".adj"}},
		{LayoutMETIS, []string{".graph", ".metis"}},
		{LayoutPajek, []string{".net"}},
		{LayoutMatrixMarket, []string{".mtx"}},
		{LayoutGraphML, []string{".graphml", ".xml"}},
		{LayoutGEXF, []string{".gexf"}},
		{LayoutJSON, []string{".json"}},
		{LayoutGML, []string{".gml"}},
		{LayoutParquet, []string{parquetEnding}},
	}

	parquetEnding = ".parquet"

	tableEndings = []string{".csv", ".tsv", ".txt", ".ssv", ".tab", ".dat", ".data", parquetEnding}
)

// layoutOf returns the layout that belongs to the extension of a name.
func layoutOf(name string) (Layout, error) {
	ending := Ending(name)
	if ending == "" {
		return LayoutEdges, nil
	}
	var known []string
	for _, l := range layoutEndings {
		if slices.Contains(l.endings, ending) {
			return l.layout, nil
		}
		known = append(known, l.endings...)
	}
	return "", &EndingError{name, ending, known}
}

// CheckTable returns an EndingError for a name whose extension cannot belong to a table of
// vertices.
func CheckTable(name string) error {
	if ending := Ending(name); ending != "" && !slices.Contains(tableEndings, ending) {
		return &EndingError{name, ending, tableEndings}
	}
	return nil
}
