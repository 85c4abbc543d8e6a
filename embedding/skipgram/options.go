package skipgram

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
)

// ErrOptions is wrapped by every fault that Validate reports.
var ErrOptions = errors.New("invalid options")

// Options are the parameters of a training. The zero value is the setting of the paper's
// experiments (AAAI 2018, section 5.1) and of DeepWalk.
type Options struct {
	Dim    int // dimensions of the vectors; 0 means 200
	Window int // largest half-width of a window; 0 means 10
	Epochs int // passes over the walks; 0 means 1
	// Alpha is the learning rate at the beginning; 0 means 0.025. It falls linearly to a
	// ten-thousandth of that: the schedule of word2vec.
	Alpha float64
	// Negative is the number of negative samples of each pair, drawn in proportion to
	// visits^¾. 0 means hierarchical softmax instead.
	Negative int
	// Partitions is the number of parts that are trained in parallel, and so the largest
	// number of processors that are used; 0 means 2. A graph with less than 512 vertices
	// for each part has fewer parts. The result depends on it: see "What partitions cost"
	// in the comment of the package.
	Partitions int
	Seed       uint64
	Workers    int // goroutines; 0 means GOMAXPROCS. The result does not depend on it.
	// Progress, if not nil, receives the number of vertices of walks trained so far, and
	// of all, from the calling goroutine after every batch.
	Progress func(done, total int64)

	Checkpoints Checkpoints
	// From, if not nil, is the state of a training with the same corpus and options,
	// which continues from there and ends with the same bytes as without a stop. It must
	// not be used afterwards.
	From *State
}

const (
	maxDim        = 1 << 16
	maxWindow     = 1 << 10
	maxEpochs     = 1 << 16
	maxNegative   = 1 << 8
	maxPartitions = 64
)

// WithDefaults returns a copy in which every parameter is set.
func (o Options) WithDefaults() Options {
	for _, d := range []struct {
		value  *int
		normal int
	}{
		{&o.Dim, 200},      // the paper's
		{&o.Window, 10},    // the paper's
		{&o.Epochs, 1},     // the paper's: ten walks from a vertex are ten passes already
		{&o.Partitions, 2}, // reconstructs as well as 1 on all graphs tried
	} {
		if *d.value == 0 {
			*d.value = d.normal
		}
	}
	o.Alpha = cmp.Or(o.Alpha, 0.025)
	return o
}

// Bytes estimates the memory of Train on a corpus with a number of vertices: for each
// vertex two vectors, which become the result; the paths of the tree, which are little longer
// than those of a balanced tree; the rows of each part; and copies of the rows of a batch, if all
// of them are shared.
func (o Options) Bytes(vertices int) int64 {
	o = o.WithDefaults()
	n, parts := int64(vertices), int64(o.parts(vertices))
	row := 4 * int64((o.Dim+15)&^15)
	steps := int64(bits.Len(uint(vertices)) + 2)
	bytes := n * (2*row + 4*steps + 64 + 16*parts)
	if parts > 1 {
		bytes += parts * row * min(2*n, dividedPairs/int64(o.Window+1))
	}
	return bytes
}

// parts returns the number of parts of a graph.
func (o Options) parts(vertices int) int { return max(1, min(o.Partitions, vertices/partVertices)) }

// partVertices is the minimum number of vertices of a part. On smaller graphs
// every vertex is so often in every batch that the copies of the parts would
// diverge, and there is little to gain.
const partVertices = 512

// Validate reports all faults at once.
func (o Options) Validate() error {
	var faults []error
	for _, f := range []struct {
		name        string
		value, most int
	}{
		{"Dim", o.Dim, maxDim}, {"Window", o.Window, maxWindow}, {"Epochs", o.Epochs, maxEpochs},
		{"Negative", o.Negative, maxNegative}, {"Partitions", o.Partitions, maxPartitions},
	} {
		if f.value < 0 || f.value > f.most {
			faults = append(faults, fmt.Errorf("%w: %s (%d) must be 0 to %d", ErrOptions, f.name, f.value, f.most))
		}
	}
	if o.Alpha != 0 && !(o.Alpha > 0 && o.Alpha <= 1) {
		faults = append(faults, fmt.Errorf("%w: Alpha (%v) must be above 0 and at most 1", ErrOptions, o.Alpha))
	}
	return errors.Join(faults...)
}

// batchPairs is about how many pairs the walks of a batch of one part have. A batch takes a few
// milliseconds.
const batchPairs = 28_000

// Several parts exchange their changes after a dividedBatches-th of an epoch, and after
// dividedPairs at most. The copies of a batch take as long as training some thousand pairs.
// Batches of 28,000 to 450,000 pairs give vectors of the same quality.
const (
	dividedBatches = 32
	dividedPairs   = 400_000
)
