package format

import (
	"context"
	"fmt"
	"io"
	"time"
)

// ReadEdgeList reads an edge list, plain or compressed by gzip or zstd, and
// calls yield for every edge, in the order of the file. Self-loops and repeated
// edges are delivered like any other.
//
// A line has two columns or more; those beyond the second are ignored. Lines
// may end in LF or CRLF, the last one in nothing; a byte order mark, empty
// lines, and lines that begin with # or % are passed over. Keys are any UTF-8
// text that is not empty, and are taken byte by byte: nothing is normalised,
// and "07" is not "7".
//
// A malformed line ends the read with a *LineError, unless SkipBad passes over
// it. Limits on the whole input end it always, with a *LineError too; so does a
// damaged compressed stream, with a *StreamError. An error of yield ends it and
// is returned as it is.
//
// A goroutine reads, hashes and decompresses up to eight blocks of 64 KiB
// ahead; nothing is allocated per line. The goroutine has ended when
// ReadEdgeList returns, unless r.Read blocks: then it ends when that returns,
// and r must not be used before. Cancelling is noticed within 100 ms even so,
// and gives ctx.Err(), wrapped.
func ReadEdgeList(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(Edge) error) (ReadStats, error) {
	return read(ctx, r, opts, false, yield)
}

// ReadPairs reads pairs of keys, such as pairs to be scored, in the order of
// the file. It does what ReadEdgeList does, except that there is no counts
// header (under HeaderAuto the first line is a pair or column names, and
// HeaderCounts is refused) and no hash.
func ReadPairs(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(source, target []byte) error) (ReadStats, error) {
	if opts.Header == HeaderCounts {
		return ReadStats{}, fmt.Errorf("%w: a file of pairs has no counts header", ErrOptions)
	}
	return read(ctx, r, opts, true, func(e Edge) error { return yield(e.Source, e.Target) })
}

func read(ctx context.Context, r io.Reader, opts EdgeListOptions, pairs bool, yield func(Edge) error) (ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return ReadStats{}, err
	}
	in := startInput(r, opts.Name, !pairs)
	defer in.close()
	p := newParser(opts.withDefaults(), pairs, yield)
	progress := progressMeter{opts: &opts, in: in}
	for {
		if err := ctx.Err(); err != nil {
			return p.stats, fmt.Errorf("reading %s: %w", nameOr(opts.Name), err)
		}
		b := in.next(ctx)
		if err := p.block(b.text); err != nil {
			return p.stats, err
		}
		switch {
		case b.err == io.EOF:
			err := p.finish()
			if err == nil {
				p.stats.SHA256 = in.sum()
				progress.report()
			}
			return p.stats, err
		case b.err != nil && b.err == ctx.Err():
			return p.stats, fmt.Errorf("reading %s: %w", nameOr(opts.Name), b.err)
		case b.err != nil:
			return p.stats, b.err
		}
		in.release(b)
		progress.tick()
	}
}

// progressMeter calls the progress function at most 20 times a second.
type progressMeter struct {
	opts *EdgeListOptions
	in   *input
	last time.Time
}

func (m *progressMeter) tick() {
	const interval = 50 * time.Millisecond
	if m.opts.Progress == nil || time.Since(m.last) < interval {
		return
	}
	m.last = time.Now()
	m.report()
}

func (m *progressMeter) report() {
	if m.opts.Progress != nil {
		m.opts.Progress("reading", m.in.raw.count.Load(), m.opts.Size)
	}
}
