package graphs

import (
	"math"
	"runtime"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
)

// runBlocks is how many blocks of arcs, of up to 4 KiB each, one goroutine decodes at a time.
const runBlocks = 16

// releaseRuns is after how many runs the pages that they were read from are released.
const releaseRuns = 128

// ReadArcs builds n rows from the arc blocks, in as many goroutines as there are processors; of a
// directed graph those of its undirected view. vertices, where not nil, gives the row of each slot.
// One of the goroutines begins with first, whose error precedes those of decoding. Memory beyond the
// rows is 48 bytes for each block.
func ReadArcs(t *tree.Tx, r *Record, n int, vertices []uint32, first func() error) (*csr.Graph, error) {
	if r.Directed {
		p, err := ReadPairs(t, r, n, vertices, first)
		if err != nil {
			return nil, err
		}
		return p.Undirected(), nil
	}
	b, err := addArcs(t, r, n, vertices, first)
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// ReadPairs is ReadArcs for the rows of a directed graph with both directions.
func ReadPairs(t *tree.Tx, r *Record, n int, vertices []uint32, first func() error) (*block.Pairs, error) {
	b, err := addArcs(t, r, n, vertices, first)
	if err != nil {
		return nil, err
	}
	return b.FinishPairs()
}

func addArcs(t *tree.Tx, r *Record, n int, vertices []uint32, first func() error) (*block.RowBuilder, error) {
	p, err := t.Part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	t.ReadAhead(p.Bucket)
	runs, err := ArcRuns(t, p)
	if err != nil {
		return nil, err
	}
	b, err := block.NewRowBuilder(runs, r.Counts(), n, vertices)
	if err != nil {
		return nil, err
	}
	room := make([]block.ArcBlock, runtime.GOMAXPROCS(0))
	return b, Parallel(t, 1+len(runs), len(room), func(worker, i int) error {
		if i == 0 {
			return first()
		}
		if i%releaseRuns == 0 {
			t.ReleaseMap()
		}
		return addRun(&b.Runs[i-1], runs[i-1].Blocks, p.Seed, &room[worker])
	})
}

// ArcRuns lists the blocks of all arcs without decoding them.
func ArcRuns(t *tree.Tx, p tree.Part) ([]block.ArcRun, error) {
	var runs []block.ArcRun
	cursor := p.Bucket.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		b := block.Sealed{Key: key, Record: record}
		arcs, err := block.DeclaredArcs(b)
		if err != nil {
			return nil, err
		}
		last := len(runs) - 1
		if last < 0 || len(runs[last].Blocks) == runBlocks {
			from := block.ArcOfKey(key)
			if last >= 0 {
				runs[last].Below = from
			}
			if err := t.Ctx.Err(); err != nil {
				return nil, err
			}
			runs = append(runs, block.ArcRun{From: from, Below: math.MaxUint64})
			last++
		}
		runs[last].Blocks = append(runs[last].Blocks, b)
		runs[last].Arcs += arcs
		t.Scanned++
	}
	return runs, nil
}

// addRun verifies, decodes and adds blocks. room is overwritten.
func addRun(r *block.RowRun, blocks []block.Sealed, seed block.Seed, room *block.ArcBlock) error {
	for _, b := range blocks {
		if err := room.Open(seed, b); err != nil {
			return err
		}
		if err := r.Add(room); err != nil {
			return err
		}
	}
	return nil
}
