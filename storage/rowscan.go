package storage

import (
	"encoding/binary"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Scan calls f with all rows, in runs of up to a mebibyte: they may be read during the call
// and no longer. f runs in up to workers goroutines (at least one), numbered from 0, and gets each row
// once, in any order; if Scan returns an error, perhaps rows that are damaged. The checksums of an
// embedding are verified by the first Scan after the file was opened; the result is
// remembered. That Scan reads the file, which takes a third of the time in which the system
// maps its pages, and no memory; the later ones read the file's map.
func (v *RowView) Scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	if v.record.Object == 0 {
		return nil
	}
	scan := v.scan
	if v.t.File != nil && !v.t.Rows.Has(v.record.Object) {
		scan = v.scanFile
	}
	err := scan(max(1, workers), f)
	if err == nil {
		v.t.Rows.Add(v.record.Object)
	}
	return fault.Corrupt(v.t.Path, describeEmbedding(v.Info.Name), err)
}

// scan is Scan in the map.
func (v *RowView) scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	p, err := v.t.Part(v.record.Object, block.RowsName)
	if err != nil {
		return err
	}
	chunks, err := v.chunks(p)
	if err != nil {
		return err
	}
	sound, room := v.t.Rows.Has(v.record.Object), make([][]float32, workers)
	return graphs.Parallel(v.t, len(chunks), workers, func(worker, i int) error {
		values, err := chunks[i].Values(p.Seed, v.Info.Dim, sound, &room[worker])
		if err == nil {
			f(worker, chunks[i].First, values)
		}
		return err
	})
}

// scanFile is the first Scan, which verifies the rows.
func (v *RowView) scanFile(workers int, f func(worker int, first uint32, rows []float32)) error {
	if err := v.openRows(); err != nil {
		return err
	}
	var chunks []rowChunk
	for row := uint64(0); row < v.record.Vertices; {
		c, err := v.chunkOf(uint32(row))
		if err != nil {
			return err
		}
		if uint64(c.first) != row || row+uint64(c.rows) > v.record.Vertices {
			return fault.Record("chunk of %d rows from %d where row %d of %d should start", c.rows, c.first, row, v.record.Vertices)
		}
		if c.At >= 0 {
			file.WillNeed(v.t.File, c.At, int64(c.Size))
		}
		chunks = append(chunks, c)
		row += uint64(c.rows)
	}
	readers := make([]block.RowReader, workers)
	return graphs.Parallel(v.t, len(chunks), workers, func(worker, i int) error {
		c := chunks[i]
		return readers[worker].Read(v.lasting.Part.Seed, c.Key, c.Size, v.Info.Dim,
			func(b []byte, at int) error { return v.lasting.Read(c.Located, at, b) },
			func(row int, rows []float32) { f(worker, c.first+uint32(row), rows) })
	})
}

// chunks lists the records of all rows without reading them.
func (v *RowView) chunks(p tree.Part) ([]block.Chunk, error) {
	var list []block.Chunk
	row, all := uint64(0), v.record.Vertices
	cursor := p.Bucket.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != row || row >= all {
			return nil, fault.Record("chunk %x where row %d should start", key, row)
		}
		rows, err := block.RowsIn(len(record), v.Info.Dim)
		if err != nil {
			return nil, err
		}
		list = append(list, block.Chunk{Key: key, Record: record, First: uint32(row), Rows: rows})
		row += uint64(rows)
	}
	if row != all {
		return nil, fault.Record("%d rows where the catalogue says %d", row, all)
	}
	return list, nil
}
