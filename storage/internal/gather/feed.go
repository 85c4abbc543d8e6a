package gather

import (
	"context"

	"heavytail/storage/csr"
)

// feed carries edges to a buffer in another goroutine, in order: while the buffer grows, is sorted or
// goes to a file, the next edges are read. The buffer must not be used before drain has returned.
type feed struct {
	buffer *edgeBuffer
	fill   load       // edges that are not on the way
	full   chan load  // on the way; nil without a goroutine
	free   chan load  // empty again
	made   int        // loads beside fill
	end    chan error // the error of the buffer, when the goroutine ends
}

// load is a list of edges, first those without values.
type load struct {
	plain  []uint64
	valued []occurrence
	err    error // of the buffer, in a load that comes back
}

const (
	loadBytes = 64 << 10
	mostLoads = 64 // 4 MiB: enough to read on while the buffer doubles
)

// add adds an edge without a weight and a time.
func (b *feed) add(ctx context.Context, e uint64) error {
	if len(b.fill.valued) > 0 {
		return b.addValued(ctx, occurrence{e, 0, csr.NoTime})
	}
	if cap(b.fill.plain) == 0 {
		b.fill.plain = make([]uint64, 0, loadBytes/plainBytes)
	}
	b.fill.plain = append(b.fill.plain, e)
	if len(b.fill.plain) == cap(b.fill.plain) {
		return b.send(ctx)
	}
	return nil
}

// addValued adds an edge with a weight (0 for none) or a time.
func (b *feed) addValued(ctx context.Context, o occurrence) error {
	if cap(b.fill.valued) == 0 {
		b.fill.valued = make([]occurrence, 0, loadBytes/valuedBytes)
	}
	b.fill.valued = append(b.fill.valued, o)
	if len(b.fill.valued) == cap(b.fill.valued) {
		return b.send(ctx)
	}
	return nil
}

// send passes the edges on, and takes an empty load.
func (b *feed) send(ctx context.Context) error {
	if b.full == nil {
		if b.free == nil {
			b.free = make(chan load, mostLoads)
		}
		b.full, b.end = make(chan load, mostLoads), make(chan error, 1)
		go b.run(ctx, b.full)
	}
	b.full <- b.fill
	b.fill = load{}
	if b.made < mostLoads-1 && len(b.free) == 0 {
		b.made++
		return nil
	}
	b.fill = <-b.free
	return b.fill.err
}

// run empties loads into the buffer until there are no more.
func (b *feed) run(ctx context.Context, full <-chan load) {
	var err error
	for l := range full {
		if err == nil {
			err = b.buffer.take(ctx, l.plain, l.valued)
		}
		b.free <- load{l.plain[:0], l.valued[:0], err}
	}
	b.end <- err
}

// drain waits until the buffer has all edges.
func (b *feed) drain(ctx context.Context) (err error) {
	if b.full != nil {
		close(b.full)
		err = <-b.end
		b.full = nil
	}
	if err == nil {
		err = b.buffer.take(ctx, b.fill.plain, b.fill.valued)
	}
	b.fill = load{b.fill.plain[:0], b.fill.valued[:0], nil}
	return err
}
