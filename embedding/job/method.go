package job

import (
	"context"
	"io"
	"strconv"

	"heavytail/embedding"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Method describes an embedding method.
type Method struct {
	Name    string
	Summary string // one line
	Walks   bool   // learns from walks, which the function Walks gives
	Options []OptionInfo
}

// OptionInfo describes one option of a method.
type OptionInfo struct {
	Name    string
	Type    string   // "int", "float", "text" or "bool"
	Default string   // in the language
	Choices []string // the texts that are allowed; nil for any
	Doc     string   // one line
}

// Option is an option as it is given: its value an int, int64, float64, string
// or bool.
type Option struct {
	Name  string
	Value any
}

// algorithm is a method that can be run. The list of them is the only place that
// knows which there are.
type algorithm struct {
	Method
	// prepare takes options as they were given.
	prepare func(options []Option) (prepared, error)
}

// prepared is a method with its options after defaults.
type prepared struct {
	options []storage.Setting // all of them, in canonical text
	run     computation
	renew   renewal
	walk    sampling // nil for a method without walks
	// bytes estimates the memory of run beside the graph, with the result, and
	// sampler that of walk.
	bytes, sampler func(g *csr.Graph) int64
	// seconds estimates the time of run on this machine.
	seconds func(ctx context.Context, g *csr.Graph, workers int) (float64, error)
	// solved are the options of a method that solves for eigenvectors, nil of
	// others.
	solved *embedding.SpectralOptions
}

// computation returns the rows, and the part of their record that depends on the
// method. Of the request it takes what does not shape them.
type computation func(ctx context.Context, g *csr.Graph, req Request) (outcome, error)

// outcome is what a method computed.
type outcome struct {
	rows  *vec.Matrix
	info  storage.EmbeddingInfo // what depends on the method
	state func(io.Writer) error // writes what a renewal needs beside the rows
}

// renewal brings rows up to date with a graph that has changed.
type renewal func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error)

// renewing is where a renewal begins.
type renewing struct {
	rows      *vec.Matrix
	state     io.Reader
	from      []uint32 // of each vertex of the graph, its row, or storage.NoRow
	touched   []uint32 // vertices that are new or whose edges changed
	turn      int      // generations before
	tolerance float64  // of residuals; 0 is the default
	progress  func(stage string, done, total int64)
}

// sampling returns the walks that a method learns from.
type sampling func(ctx context.Context, g *csr.Graph, workers int) (embedding.Walks, error)

func algorithms() []algorithm {
	return []algorithm{
		spectral(embedding.MethodDPSpectral, "largest eigenvectors of the degree-penalised common-neighbour matrix"),
		spectral(embedding.MethodLaplacianEigenmaps, "largest eigenvectors of the normalised adjacency matrix"),
		walks(embedding.MethodDPWalker, "skip-gram on walks that avoid vertices of high degree"),
		walks(embedding.MethodDeepWalk, "skip-gram on uniform walks"),
		walks(embedding.MethodNode2Vec, "skip-gram on walks that tend back or outwards"),
	}
}

// method is the algorithm whose options are O: complete sets their defaults, and
// with makes of them what can be run.
func method[O any](name, summary string, fields table[O], validate func(O) error, complete func(O) O, with func(O) prepared) algorithm {
	var zero O
	return algorithm{Method{Name: name, Summary: summary, Options: fields.describe(complete(zero))}, func(options []Option) (prepared, error) {
		o, err := fields.parse(name, options, validate)
		if err != nil {
			return prepared{}, err
		}
		o = complete(o)
		p := with(o)
		p.options = fields.settings(o)
		return p, nil
	}}
}

// weighted says of a graph with weights whether they were used: they are not where
// all are equal, or the option weights is false.
func weighted(g *csr.Graph, used bool) []storage.Setting {
	if !g.Weighted() {
		return nil
	}
	return []storage.Setting{{Name: "weighted", Value: strconv.FormatBool(used)}}
}

// Methods lists the methods, with the options of each in their order.
func Methods() []Method {
	var list []Method
	for _, a := range algorithms() {
		list = append(list, a.Method)
	}
	return list
}

// Check reports the first of the options that the method does not have or take,
// as an *OptionError, or a *MethodError.
func Check(method string, options []Option) error {
	_, err := prepare(method, options)
	return err
}

// prepare finds the method of a name and gives it its options.
func prepare(method string, options []Option) (prepared, error) {
	e := &MethodError{Method: method}
	for _, a := range algorithms() {
		if a.Name == method {
			return a.prepare(options)
		}
		e.Known = append(e.Known, a.Name)
	}
	return prepared{}, e
}
