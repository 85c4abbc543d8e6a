package skipgram

import (
	"runtime"
	"time"
)

// Corpus is a number of walks that can be generated repeatedly.
type Corpus struct {
	Vertices int // walks consist of vertices below it
	Walks    int
	// Append appends walk number i to dst. It is called from several goroutines
	// and must give the same walk every time.
	Append func(dst []uint32, i int) []uint32
	// AppendEach, if not nil, does the same for walk number first + j and
	// dst[j], for all of them, in less time.
	AppendEach func(dst [][]uint32, first int)
}

// abreast is how many walks are generated at a time.
const abreast = 8

// refill replaces walks by those from number first on.
func (c Corpus) refill(walks [][]uint32, first int) {
	for j := range walks {
		walks[j] = walks[j][:0]
		if c.AppendEach == nil {
			walks[j] = c.Append(walks[j], first+j)
		}
	}
	if c.AppendEach != nil {
		c.AppendEach(walks, first)
	}
}

// trainer holds the model while it is being trained.
type trainer struct {
	Options
	corpus Corpus

	at    State     // its vectors and nodes are in and out
	total int64     // visits on all walks, once
	saved time.Time // time of the last save

	constant bool          // the learning rate does not fall
	counting time.Duration // time of counting the visits; 0 if a state had them

	tree   *tree     // until the parts have it; nil for negative sampling
	stride int       // from a row to the next: whole lines of the cache
	in     []float32 // rows of vertices as x
	out    []float32 // rows of nodes of the tree, or of vertices as centres

	outPart []uint8 // part of each row of out
	parts   []*part

	ahead     ahead
	now, next *batch // the batch being trained, and the next one
}

// partVertices is the minimum number of vertices of a part. On smaller graphs
// every vertex is so often in every batch that the copies of the parts would
// diverge, and there is little to gain.
const partVertices = 512

func newTrainer(c Corpus, o Options) *trainer {
	o.Partitions = max(1, min(o.Partitions, c.Vertices/partVertices))
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &trainer{Options: o, corpus: c, saved: time.Now()}
}

// Streams of random numbers, one for each use.
const (
	useInit = iota + 1
	useWindow
	useNegative
)
