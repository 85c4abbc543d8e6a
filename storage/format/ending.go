package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Ending returns the ending of a file's name in lower case with its dot, such as
// ".csv" for "dir/People.CSV.gz": endings that only say how the file is
// compressed, .gz and .zst, are passed over. Without one it is "".
func Ending(name string) string {
	base := filepath.Base(name)
	for _, compressed := range []string{".gz", ".zst"} {
		if rest, ok := strings.CutSuffix(base, compressed); ok {
			base = rest
			break
		}
	}
	return strings.ToLower(filepath.Ext(strings.TrimPrefix(base, ".")))
}

// EndingError says that the ending of a file's name is none of those that say
// what the file holds. It answers errors.Is for ErrEnding.
type EndingError struct {
	Name   string // of the file
	Ending string
	Known  []string // endings that are known, in order
}

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: the ending %s is none of %s", nameOr(e.Name), excerpt([]byte(e.Ending)), strings.Join(e.Known, ", "))
}

func (e *EndingError) Unwrap() error { return ErrEnding }

// Endings of texts that are read, by layout. A name without an ending is a list
// of edges, as is "-".
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
		{LayoutParquet, []string{parquetEnding}},
	}

	parquetEnding = ".parquet"

	tableEndings = []string{".csv", ".tsv", ".txt", ".ssv", ".tab", ".dat", ".data", parquetEnding}
)

// layoutOf returns the layout that the ending of a name says.
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

// CheckTable refuses a name whose ending does not say that the file may be a
// table of vertices, with an EndingError.
func CheckTable(name string) error {
	if ending := Ending(name); ending != "" && !slices.Contains(tableEndings, ending) {
		return &EndingError{name, ending, tableEndings}
	}
	return nil
}
