package storage

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// runBlocks is how many blocks of arcs, of up to 4 KiB each, one goroutine decodes at a time.
const runBlocks = 16

// readArcs builds n rows from the arc blocks, in as many goroutines as there are processors.
// vertices, where not nil, gives the row of each slot. One of the goroutines begins with
// beside, whose error precedes those of decoding. Memory beyond the rows is 48 bytes for each block.
func (t *tx) readArcs(r *graphRecord, n int, vertices []uint32, beside func() error) (*csr.Graph, error) {
	p, err := t.part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	t.readAhead(p.bucket)
	runs, err := t.arcRuns(p)
	if err != nil {
		return nil, err
	}
	b, err := block.NewRowBuilder(runs, r.Edges, r.Weighted, r.Timed, n, vertices)
	if err != nil {
		return nil, err
	}
	room := make([]block.ArcBlock, runtime.GOMAXPROCS(0))
	err = t.parallel(1+len(runs), len(room), func(worker, i int) error {
		if i == 0 {
			return beside()
		}
		return addRun(&b.Runs[i-1], runs[i-1].Blocks, p.seed, &room[worker])
	})
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// arcRuns lists the blocks of all arcs without decoding them.
func (t *tx) arcRuns(p part) ([]block.ArcRun, error) {
	var runs []block.ArcRun
	cursor := p.bucket.Cursor()
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
			if err := t.ctx.Err(); err != nil {
				return nil, fmt.Errorf("%w", err)
			}
			runs = append(runs, block.ArcRun{From: from, Below: math.MaxUint64})
			last++
		}
		runs[last].Blocks = append(runs[last].Blocks, b)
		runs[last].Arcs += arcs
		t.scanned++
	}
	return runs, nil
}

// addRun verifies, decodes and adds blocks. room is overwritten.
func addRun(r *block.RowRun, blocks []block.Sealed, seed block.Seed, room *block.ArcBlock) error {
	for _, b := range blocks {
		payload, err := seed.Open(b.Key, b.Record)
		if err == nil {
			err = room.Decode(b.Key, payload)
		}
		if err == nil {
			err = r.Add(room)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Degrees returns the degrees of all vertices in the present version of the graph. It decodes all
// arcs in as many goroutines as there are processors, and keeps 4 bytes for each slot: a quarter
// of the time of loading the graph, and less of its memory.
func (v *GraphView) Degrees() ([]uint32, error) {
	degrees, err := v.degrees()
	return degrees, fault.Corrupt(v.t.path, describeGraph(v.Graph.Name)+", arcs", err)
}

func (v *GraphView) degrees() ([]uint32, error) {
	m, err := v.slotMap()
	if err != nil || v.graph.Object == 0 {
		return nil, err
	}
	p, err := v.t.part(v.graph.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	v.t.readAhead(p.bucket)
	runs, err := v.t.arcRuns(p)
	if err != nil {
		return nil, err
	}
	degrees := make([]uint32, m.Slots) // of slots; the arcs of one may lie in several runs
	room, all := make([]block.ArcBlock, runtime.GOMAXPROCS(0)), atomic.Uint64{}
	err = v.t.parallel(len(runs), len(room), func(worker, i int) error {
		for _, b := range runs[i].Blocks {
			payload, err := p.seed.Open(b.Key, b.Record)
			if err == nil {
				err = room[worker].Decode(b.Key, payload)
			}
			if err != nil {
				return err
			}
			arcs := room[worker].Arcs
			all.Add(uint64(len(arcs)))
			for first, at := 0, 1; at <= len(arcs); at++ {
				if at < len(arcs) && arcs[at].Source() == arcs[first].Source() {
					continue
				}
				slot := arcs[first].Source()
				if uint64(slot) >= m.Slots {
					return fault.Record("an edge of slot %d of %d", slot, m.Slots)
				}
				atomic.AddUint32(&degrees[slot], uint32(at-first))
				first = at
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case all.Load() != 2*v.graph.Edges:
		return nil, fault.Record("%d arcs where the catalogue says %d edges", all.Load(), v.graph.Edges)
	}
	for i, slot := range m.Empty {
		if degrees[slot] != 0 {
			return nil, fault.Record("an edge of the empty slot %d", slot)
		}
		end := len(degrees)
		if i+1 < len(m.Empty) {
			end = int(m.Empty[i+1])
		}
		copy(degrees[int(slot)-i:], degrees[slot+1:end])
	}
	return degrees[:m.Vertices()], nil
}
