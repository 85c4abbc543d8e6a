package graphfile

import (
	"context"
	"io"
	"slices"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/rowtext"
)

// ReadPairs reads pairs of keys, such as pairs to be scored, in the order of the file. It works
// like rowtext.ReadEdgeList, except that there is no counts header (under format.HeaderAuto the first line is
// a pair or column names, and format.HeaderCounts is refused) and no hash. A columnar input is read as
// such and must be a [columnar.RandomReader].
func ReadPairs(ctx context.Context, r io.Reader, opts format.EdgeListOptions, yield func(source, target []byte) error) (format.ReadStats, error) {
	return ReadPairRows(ctx, r, opts, nil, func(source, target []byte, _ [][]byte) error { return yield(source, target) })
}

// ReadPairRows is ReadPairs with the values of further columns, which are given by their
// numbers from 1; values are passed to yield in this order. A missing value is empty. Values of
// columnar files are written as text: numbers with all their digits, dates as in RFC 3339. The slices
// are valid only during the call of yield.
func ReadPairRows(ctx context.Context, r io.Reader, opts format.EdgeListOptions, further []int, yield func(source, target []byte, further [][]byte) error) (format.ReadStats, error) {
	table, err := openPairs(ctx, r, &opts)
	if err != nil {
		return format.ReadStats{}, err
	}
	further = slices.Clone(further)
	for i := range further {
		further[i]--
	}
	if table != nil {
		return table.Pairs(further, yield)
	}
	return rowtext.ReadPairs(ctx, r, opts, further, yield)
}

// PairColumns returns the columns of a file of pairs other than the keys, from its header or
// else from its first pair. It reads no further than that, or than the lines that show whether the
// first one is a header.
func PairColumns(ctx context.Context, r io.Reader, opts format.EdgeListOptions) ([]format.PairColumn, error) {
	table, err := openPairs(ctx, r, &opts)
	if err != nil {
		return nil, err
	}
	if table != nil {
		return table.PairColumns()
	}
	return rowtext.PairColumns(ctx, r, opts)
}

// openPairs checks the options, and opens the input if it is columnar.
func openPairs(ctx context.Context, r io.Reader, opts *format.EdgeListOptions) (*columnar.File, error) {
	if opts.Header == format.HeaderCounts {
		return nil, &format.OptionError{Option: "header", Value: opts.Header.String(), Conflict: "a file of pairs has no counts header"}
	}
	keys := *opts
	keys.Weight, keys.Time = format.NoColumn, format.NoColumn // ordinary columns in a file of pairs
	return columnar.Open(ctx, r, format.Options{EdgeListOptions: keys})
}
