package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/embedding/spectral"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Sides of Disk.
const (
	Both     = "both"
	InMemory = "memory"
	OnDisk   = "disk"
)

// DiskConfig says what Disk measures.
type DiskConfig struct {
	File, Graph string
	Dim         int     // coordinates
	Fraction    float64 // of the bytes that the edges take in memory, for the buffers of the file
	Side        string  // Both, InMemory or OnDisk
	Workers     int     // 0 means GOMAXPROCS
}

// Validate returns an error for the first field that cannot be used.
func (c DiskConfig) Validate() error {
	switch {
	case c.Side != Both && c.Side != InMemory && c.Side != OnDisk:
		return fmt.Errorf("-side is %q: expected both, memory or disk", c.Side)
	case !(c.Fraction > 0 && c.Fraction <= 1):
		return fmt.Errorf("-edges is %g: expected a number above 0 and at most 1", c.Fraction)
	case c.Dim < 1:
		return fmt.Errorf("-dim is %d: expected at least 1", c.Dim)
	}
	return nil
}

type measured struct {
	rows      *vec.Matrix
	stats     spectral.Stats
	read      spectral.ListStats
	edges     int64 // bytes of edges in memory
	file      int64 // bytes of records that were read for the edges
	processor float64
	clock     float64
	peak      int64
}

// Disk embeds a graph of a file by dp_spectral with its edges in memory, and with a fraction
// of their bytes in memory by reading the file for each product, and returns a table of
// both. The file is only read. It is an error if the vectors differ in a bit.
func Disk(ctx context.Context, c DiskConfig) (report string, err error) {
	if err := c.Validate(); err != nil {
		return "", err
	}
	db, err := storage.Open(c.File, &storage.Options{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer db.Close()
	info, err := db.Graph(ctx, c.Graph)
	if err != nil {
		return "", err
	}
	entry := int64(4)
	if info.Weighted {
		entry = 8
	}
	all := 2 * entry * info.Edges
	var list []measured
	var names []string
	run := func(name string, solve func() (measured, error)) error {
		from, _ := usage()
		began := time.Now()
		m, err := solve()
		if err != nil {
			return err
		}
		to, peak := usage()
		m.processor, m.clock, m.peak = to-from, time.Since(began).Seconds(), peak
		list, names = append(list, m), append(names, name)
		return nil
	}
	o := spectral.Options{Dim: c.Dim, Workers: c.Workers}
	// The disk is first, so that the peak of its memory is its own.
	if c.Side != InMemory {
		if err := run("read from the file", func() (m measured, err error) { return onDisk(ctx, db, c, o, all) }); err != nil {
			return "", err
		}
	}
	if c.Side != OnDisk {
		if err := run("in memory", func() (m measured, err error) { return inMemory(ctx, db, c, o, all) }); err != nil {
			return "", err
		}
	}
	report = diskTable(c, info, names, list)
	if len(list) == 2 && !slices.EqualFunc(list[0].rows.Data, list[1].rows.Data, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
		return report, fmt.Errorf("graph %q: the vectors of both solves differ", c.Graph)
	}
	return report, nil
}

func inMemory(ctx context.Context, db *storage.DB, c DiskConfig, o spectral.Options, all int64) (m measured, err error) {
	snapshot, err := db.Snapshot(ctx, c.Graph)
	if err != nil {
		return m, err
	}
	m.edges = all
	m.rows, _, m.stats, err = spectral.Embed(ctx, snapshot.Graph, spectral.MethodDPSpectral, o)
	return m, err
}

func onDisk(ctx context.Context, db *storage.DB, c DiskConfig, o spectral.Options, all int64) (m measured, err error) {
	lists, err := db.Lists(ctx, c.Graph)
	if err != nil {
		return m, err
	}
	bytes := max(int64(c.Fraction*float64(all)), spectral.MinListBytes)
	m.rows, _, m.stats, m.read, err = spectral.EmbedLists(ctx, lists, bytes, spectral.MethodDPSpectral, o)
	m.edges, m.file = m.read.Bytes, lists.BytesRead()
	return m, err
}

func diskTable(c DiskConfig, info storage.GraphInfo, names []string, list []measured) string {
	var b strings.Builder
	workers := c.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	fmt.Fprintf(&b, "dp_spectral(dim := %d) of %s: %d vertices, %d edges; %d workers, kernels %s.\n\n", c.Dim, info.Name, info.Vertices, info.Edges, workers, vec.Kind())
	b.WriteString("| edges | bytes of edges in memory | readings of the file | bytes read | bytes a reading | products with a block | processor s | s on the clock | largest resident set |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, m := range list {
		each := int64(0)
		if m.read.Readings > 0 {
			each = m.file / int64(m.read.Readings)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %.2f | %.2f | %d |\n", names[i], m.edges, m.read.Readings, m.file, each, m.stats.Products/eigen.Width, m.processor, m.clock, m.peak)
	}
	if len(list) == 2 {
		fmt.Fprintf(&b, "\nAll %d coordinates are equal, bit for bit. The resident set is the largest of the process so far, pages of the file included.\n", len(list[0].rows.Data))
	}
	return b.String()
}
