package scan

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"

	"heavytail/storage/internal/compress"
)

// Ahead scans the blocks of a text before they are taken, on further processors. What a block means
// depends on those before it: the parser uses a scan if its rules still hold.
type Ahead struct {
	blocks  []*Piece // that follow, in order
	free    []*Piece
	work    chan *Piece
	running sync.WaitGroup
}

// Piece is a block with its scan.
type Piece struct {
	Block compress.Block
	Scan  Scan
	text  []byte   // that is scanned, from the first line that begins in the block
	by    *Scanner // the rules
	begun atomic.Bool
	done  chan struct{} // receives once it was scanned by another goroutine
}

// mostScanners is the number of goroutines that scan, at most: what follows the scans takes a third as long as
// these. There are blocksMore blocks more, so that these goroutines have work while the caller takes a block.
const (
	mostScanners = 3
	blocksMore   = 3
)

// NewAhead begins the goroutines.
func NewAhead() *Ahead {
	scanners := min(runtime.GOMAXPROCS(0)-1, mostScanners)
	a := &Ahead{work: make(chan *Piece, scanners+blocksMore)}
	for range scanners {
		a.running.Go(func() {
			for p := range a.work {
				if p.begin() {
					p.run()
					p.done <- struct{}{}
				}
			}
		})
	}
	return a
}

// Close ends the goroutines.
func (a *Ahead) Close() {
	close(a.work)
	a.running.Wait()
}

// begin reports whether the caller is the first who asks, and is to scan.
func (p *Piece) begin() bool { return p.begun.CompareAndSwap(false, true) }

func (p *Piece) run() { p.by.Scan(p.text, 1<<62, &p.Scan) }

// Add takes blocks that in has read already; by has the rules by which they are scanned. last is the block
// before them.
func (a *Ahead) Add(in *compress.Input, by *Scanner, last compress.Block) {
	if n := len(a.blocks); n > 0 {
		last = a.blocks[n-1].Block
	}
	for len(a.blocks) < cap(a.work) && last.Err == nil {
		block, ready := in.Ready()
		if !ready {
			return
		}
		p := a.piece()
		p.Block, p.text, p.by = block, block.Text, by
		if !bytes.HasSuffix(last.Text, []byte("\n")) {
			p.text = p.text[bytes.IndexByte(p.text, '\n')+1:]
		}
		a.blocks, last = append(a.blocks, p), block
		p.begun.Store(false)
		select {
		case a.work <- p:
		default: // there is enough to do
		}
	}
}

// Free takes a piece that is no longer in use.
func (a *Ahead) Free(p *Piece) { a.free = append(a.free, p) }

// piece returns one that is not in use.
func (a *Ahead) piece() *Piece {
	if n := len(a.free); n > 0 {
		p := a.free[n-1]
		a.free = a.free[:n-1]
		return p
	}
	return &Piece{done: make(chan struct{}, 1)}
}

// Take returns the next block, which was scanned, or nil if there is none. While another goroutine scans it, the caller scans those
// behind it.
func (a *Ahead) Take() *Piece {
	if len(a.blocks) == 0 {
		return nil
	}
	p := a.blocks[0]
	a.blocks = a.blocks[:copy(a.blocks, a.blocks[1:])]
	if p.begin() {
		p.run()
		return p
	}
	for _, other := range a.blocks {
		if len(p.done) == 0 && other.begin() {
			other.run()
			other.done <- struct{}{}
		}
	}
	<-p.done
	return p
}
