// Ours is heavytail's side of the comparisons of .ci/peers/peers. Its commands
// work on a folder, where they share files with the scripts of the peers:
//
//	ours prepare FOLDER EDGES     offsets.npy, targets.npy: the largest component
//	ours spectral FOLDER METHOD   METHOD.ours.txt (eigenvalues), METHOD.npy (vectors)
//	ours radius FOLDER METHOD     prints a radius that joins about as many pairs as there are edges
//	ours join FOLDER METHOD RADIUS
//	ours walks FOLDER METHOD ALPHA BETA N
//	                              METHOD.npy, METHOD.walks: trained without one edge in ten,
//	                              with N walks from a vertex
//	ours steps FOLDER METHOD BETA prints millions of steps of walks in a second of a processor
//	ours judge FOLDER VECTORS     prints Pearson, Spearman and link AUC of VECTORS.npy
//	ours exact FOLDER VECTORS     rates of exact searches; see exact.go
//	ours hnsw FOLDER VECTORS EF…  a line for the build and for each EF; see hnsw.go
//
// What is measured is printed as "seconds CPU-seconds megabytes result".
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"heavytail/embedding"
	"heavytail/index/pairs"
	"heavytail/storage/atomicfile"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/vec"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return errors.New("usage: ours prepare|spectral|radius|join|walks|steps|judge FOLDER …")
	}
	command, f := args[0], folder(args[1])
	switch {
	case command == "prepare" && len(args) == 3:
		return f.prepare(args[2])
	case command == "spectral" && len(args) == 3:
		return f.spectral(args[2])
	case command == "radius" && len(args) == 3:
		return f.radius(args[2])
	case command == "walks" && len(args) == 6:
		return f.walks(args[2], args[3], args[4], args[5])
	case command == "steps" && len(args) == 4:
		return f.steps(args[2], args[3])
	case command == "judge" && len(args) == 3:
		return f.judge(args[2])
	case command == "exact" && len(args) == 3:
		return f.exact(args[2])
	case command == "hnsw" && len(args) > 3:
		return f.hnsw(args[2], args[3:])
	case command == "join" && len(args) == 4:
		return f.join(args[2], args[3])
	}
	return fmt.Errorf("no command %s", strings.Join(args, " "))
}

// folder is where the files of one graph are.
type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// prepare keeps the largest component of an edge list, so that both sides solve
// the same problem: every further component repeats the eigenvalue 1, and eigsh
// cannot leave the repetitions out.
func (f folder) prepare(edgeFile string) error {
	in, size, err := atomicfile.Open(edgeFile)
	if err != nil {
		return err
	}
	defer in.Close()
	vertices := map[string]uint32{}
	vertex := func(key []byte) uint32 {
		v, known := vertices[string(key)]
		if !known {
			v = uint32(len(vertices))
			vertices[string(key)] = v
		}
		return v
	}
	var edges []csr.Edge
	stats, err := rowtext.ReadEdgeList(context.Background(), in, format.EdgeListOptions{Name: edgeFile, Size: size}, func(e format.Edge) error {
		edges = append(edges, csr.Edge{U: vertex(e.Source), V: vertex(e.Target)})
		return nil
	})
	if err != nil {
		return err
	}
	if stats.CountsHeader {
		edges = edges[1:] // its two numbers may remain as isolated vertices
	}
	g, err := csr.FromEdges(len(vertices), edges)
	if err != nil {
		return err
	}
	if parts := g.Components(); parts.Count() > 1 {
		g = g.Induced(parts.Vertices()[0])
	}
	fmt.Printf("%d vertices, %d edges\n", g.Vertices(), g.Edges())
	return errors.Join(
		writeNpy(f.path("offsets.npy"), "<i8", g.Offsets, len(g.Offsets)),
		writeNpy(f.path("targets.npy"), "<u4", g.Targets, len(g.Targets)))
}

func (f folder) graph() (*csr.Graph, error) {
	g := &csr.Graph{}
	err := readNpy(f.path("offsets.npy"), func(shape []int) any {
		g.Offsets = make([]int64, shape[0])
		return g.Offsets
	})
	if err != nil {
		return nil, err
	}
	err = readNpy(f.path("targets.npy"), func(shape []int) any {
		g.Targets = make([]uint32, shape[0])
		return g.Targets
	})
	return g, err
}

func (f folder) vectors(method string) (*vec.Matrix, error) {
	m := &vec.Matrix{}
	err := readNpy(f.path(method+".npy"), func(shape []int) any {
		m = vec.NewMatrix(shape[0], shape[1])
		return m.Data
	})
	return m, err
}

func (f folder) spectral(method string) error {
	g, err := f.graph()
	if err != nil {
		return err
	}
	opts := embedding.SpectralOptions{Workers: runtime.GOMAXPROCS(0)}
	solve := embedding.DPSpectral
	switch method {
	case "le":
		solve = embedding.LaplacianEigenmaps
	case "degree":
		opts.Beta, opts.Normalization = new(0.5), embedding.Degree
	case "strength":
		opts.Beta, opts.Normalization = new(2.0), embedding.Strength
	default:
		return fmt.Errorf("no method %s", method)
	}
	clock := startClock()
	m, stats, err := solve(context.Background(), g, opts)
	if err != nil {
		return err
	}
	worst := 0.0
	for _, residual := range stats.Residuals {
		worst = max(worst, residual)
	}
	clock.print(fmt.Sprintf("%.1e", worst))
	var text strings.Builder
	for _, value := range stats.Eigenvalues {
		fmt.Fprintf(&text, "%.17g\n", value)
	}
	return errors.Join(
		os.WriteFile(f.path(method+".ours.txt"), []byte(text.String()), 0o600),
		writeNpy(f.path(method+".npy"), "<f4", m.Data, m.Rows, m.Dim))
}

// radius takes the quantile of sampled distances at the density of the graph.
func (f folder) radius(method string) error {
	g, err := f.graph()
	if err != nil {
		return err
	}
	m, err := f.vectors(method)
	if err != nil {
		return err
	}
	distances, err := pairs.SampleDistances(context.Background(), m, 10_000_000, 1)
	if err != nil {
		return err
	}
	n := float64(m.Rows)
	at := int(2 * float64(g.Edges()) / (n * (n - 1)) * float64(len(distances)))
	fmt.Println(strconv.FormatFloat(distances[min(at, len(distances)-1)], 'g', -1, 64))
	return nil
}

func (f folder) join(method, radius string) error {
	r, err := strconv.ParseFloat(radius, 64)
	if err != nil {
		return err
	}
	m, err := f.vectors(method)
	if err != nil {
		return err
	}
	found := 0
	clock := startClock()
	err = pairs.Join(context.Background(), m, r, pairs.Options{Workers: runtime.GOMAXPROCS(0)}, func(_ uint32, neighbours []uint32) error {
		found += len(neighbours)
		return nil
	})
	if err != nil {
		return err
	}
	clock.print(strconv.Itoa(found))
	return nil
}

// clock measures wall and processor time.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func startClock() clock { return clock{time.Now(), usage().cpu} }

// spent returns the processor time since the clock was started.
func (c clock) spent() time.Duration { return usage().cpu - c.cpu }

func (c clock) print(result string) {
	wall, now := time.Since(c.wall), usage()
	fmt.Printf("%.4f %.4f %d %s\n", wall.Seconds(), (now.cpu - c.cpu).Seconds(), now.megabytes, result)
}

type used struct {
	cpu       time.Duration
	megabytes int64 // largest resident size so far
}

func usage() used {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return used{}
	}
	return used{time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Maxrss >> 10}
}

// writeNpy writes an array in version 1.0 of numpy's format.
func writeNpy(path, kind string, data any, shape ...int) error {
	dims := strings.Trim(fmt.Sprint(shape), "[]")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", kind, strings.ReplaceAll(dims, " ", ", "))
	const align = 64
	before := len("\x93NUMPY") + 2 + 2
	header += strings.Repeat(" ", align-1-(before+len(header))%align) + "\n"
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\x93NUMPY\x01\x00%c%c%s", byte(len(header)), byte(len(header)>>8), header)
	if err == nil {
		err = binary.Write(out, binary.LittleEndian, data)
	}
	return errors.Join(err, out.Close())
}

// readNpy reads an array of a known kind into the slice that into makes.
func readNpy(path string, into func(shape []int) any) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	start := make([]byte, 10)
	if _, err := io.ReadFull(in, start); err != nil {
		return err
	}
	header := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(in, header); err != nil {
		return err
	}
	_, dims, _ := strings.Cut(string(header), "'shape': (")
	dims, _, _ = strings.Cut(dims, ")")
	var shape []int
	for dim := range strings.SplitSeq(strings.TrimSuffix(dims, ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(dim))
		if err != nil {
			return err
		}
		shape = append(shape, n)
	}
	return binary.Read(in, binary.LittleEndian, into(shape))
}
