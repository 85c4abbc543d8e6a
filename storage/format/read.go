package format

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// ReadEdgeList reads an edge list and calls yield for every edge, in the order
// of the file.
func ReadEdgeList(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(Edge) error) (ReadStats, error) {
	var stats ReadStats
	if err := opts.Validate(); err != nil {
		return stats, err
	}
	hash := sha256.New()
	br := bufio.NewReader(io.TeeReader(r, hash))
	var in io.Reader = br
	if magic, _ := br.Peek(2); string(magic) == "\x1f\x8b" {
		zr, err := gzip.NewReader(br)
		if err != nil {
			return stats, &StreamError{File: opts.Name, Format: "gzip", Err: err}
		}
		in = zr
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		stats.Lines++
		fields := bytes.FieldsFunc(lines.Bytes(), func(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' })
		switch {
		case len(fields) == 0:
		case fields[0][0] == '#' || fields[0][0] == '%':
			stats.Comments++
		case len(fields) < 2:
			return stats, &LineError{File: opts.Name, Line: stats.Lines, Column: 1, Reason: "one column where two are needed", Kind: ErrSyntax}
		default:
			stats.Edges++
			if err := yield(Edge{Source: fields[0], Target: fields[1], Weight: 1}); err != nil {
				return stats, err
			}
		}
		if err := ctx.Err(); err != nil {
			return stats, err
		}
	}
	if err := lines.Err(); err != nil {
		return stats, fmt.Errorf("reading %s: %w", nameOr(opts.Name), err)
	}
	hash.Sum(stats.SHA256[:0])
	return stats, nil
}

// ReadPairs reads pairs of keys, such as the pairs to score, in the order of
// the file. The syntax is that of ReadEdgeList, except that there is no counts
// header: under HeaderAuto the first line is a pair or column names.
func ReadPairs(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(source, target []byte) error) (ReadStats, error) {
	return ReadEdgeList(ctx, r, opts, func(e Edge) error { return yield(e.Source, e.Target) })
}
