package transform

import (
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	beamtop "github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/top"
	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/links"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
)

var (
	pairsScored  = beam.NewCounter(namespace, "pairs")
	pairsMissing = beam.NewCounter(namespace, "missing_pairs")
)

func init() {
	register.DoFn3x1[context.Context, fileio.FileMetadata, func(links.Pair), error](&readPairs{})
	register.DoFn3x1[context.Context, links.Pair, func(Scored), error](&scorePairs{})
	register.Emitter1[links.Pair]()
	register.Emitter1[Scored]()
	register.Function1x2(bySource)
	register.Function2x0(eachOf)
	register.Function2x0(hasScore)
	register.Function2x1(lessByHigher)
	register.Function2x1(lessByLower)
	for _, t := range []reflect.Type{
		reflect.TypeFor[links.Pair](), reflect.TypeFor[Scored](), reflect.TypeFor[readPairs](), reflect.TypeFor[scorePairs](),
	} {
		beam.RegisterType(t)
	}
}

// Scored is a pair of vertices, by key, with its scores in the order of the scorers. NaN
// means that there is none, as in links.ScoredPair.
type Scored struct {
	Source string
	Target string
	Scores []float64
}

// ReadPairs reads the pairs of all files whose names match glob, as SCORE FILE reads one:
// two columns of text, plain or compressed, or Parquet. The names may have any scheme that
// a file system of Beam is registered for. The collection is of links.Pair. A file is read
// by one worker, and its pairs are then divided among all.
func ReadPairs(s beam.Scope, glob string) beam.PCollection {
	s = s.Scope("heavytail.ReadPairs")
	files := beam.Reshuffle(s, fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow()))
	return beam.Reshuffle(s, beam.ParDo(s, &readPairs{}, files))
}

type readPairs struct{}

// ProcessElement emits the pairs of a file in its order.
func (*readPairs) ProcessElement(ctx context.Context, file fileio.FileMetadata, emit func(links.Pair)) error {
	path, remove, err := fetch(ctx, file.Path)
	if err != nil {
		return err
	}
	defer remove()
	in, size, err := atomicfile.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = graphfile.ReadPairs(ctx, in, format.EdgeListOptions{Name: file.Path, Size: size}, func(source, target []byte) error {
		emit(links.Pair{Source: string(source), Target: string(target)})
		return nil
	})
	return err
}

// ScoreOptions say how pairs are scored.
type ScoreOptions struct {
	// File is the heavytail file, under the name that the workers know, or with the scheme
	// of a file system of Beam. A process that has to fetch it needs the space for a copy.
	File  string
	Graph string             // as in links.ScoreRequest
	With  []catalogue.Scorer // at least one
}

// Score scores a collection of links.Pair; the answer is one of Scored. A pair with an
// unknown vertex has no scores, and is counted. Errors are those of links.Service.Score, which
// also finds unknown names; the runner repeats the bundle as often as it does, and then
// the pipeline fails.
func Score(s beam.Scope, pairs beam.PCollection, opts ScoreOptions) beam.PCollection {
	return beam.ParDo(s.Scope("heavytail.Score"), &scorePairs{Options: opts}, pairs)
}

// batch is the number of pairs that are scored at once: enough to make the cost of a call
// negligible, and few enough to stay in the cache.
const batch = 4096

type scorePairs struct {
	Options ScoreOptions

	waiting []links.Pair
}

// ProcessElement scores the pair, with others or when the bundle ends.
func (f *scorePairs) ProcessElement(ctx context.Context, p links.Pair, emit func(Scored)) error {
	f.waiting = append(f.waiting, p)
	if len(f.waiting) < batch {
		return nil
	}
	return f.FinishBundle(ctx, emit)
}

// FinishBundle scores the pairs that wait.
func (f *scorePairs) FinishBundle(ctx context.Context, emit func(Scored)) error {
	if len(f.waiting) == 0 {
		return nil
	}
	db, err := open(ctx, f.Options.File)
	if err != nil {
		return err
	}
	got, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: f.waiting, Graph: f.Options.Graph, With: f.Options.With})
	f.waiting = f.waiting[:0]
	if err != nil {
		return err
	}
	pairsScored.Inc(ctx, int64(len(got.Pairs)))
	pairsMissing.Inc(ctx, int64(got.Missing))
	for _, p := range got.Pairs {
		emit(Scored{p.Source, p.Target, p.Scores})
	}
	return nil
}

// Top keeps, of each source, the n pairs that are likeliest by the first score. Of equal
// pairs those whose targets come first in the order of their bytes are kept: a collection
// has no order that could decide, as that of a file does in SCORE FILE. Pairs without a
// score are left out. by is the first scorer: of a distance the smallest values are the
// likeliest. The combiner merges on every worker before rows are exchanged.
func Top(s beam.Scope, scored beam.PCollection, n int, by catalogue.Scorer) beam.PCollection {
	s = s.Scope("heavytail.Top")
	keyed := beam.ParDo(s, bySource, beam.ParDo(s, hasScore, scored))
	var best beam.PCollection
	if isDistance(by) {
		best = beamtop.LargestPerKey(s, keyed, n, lessByLower)
	} else {
		best = beamtop.LargestPerKey(s, keyed, n, lessByHigher)
	}
	return beam.ParDo(s, eachOf, beam.DropKey(s, best))
}

// isDistance reports whether smaller values of a scorer are likelier.
func isDistance(by catalogue.Scorer) bool {
	i := slices.IndexFunc(link.Scorers(), func(s link.Scorer) bool { return s.Name == by.Name })
	return i >= 0 && !link.Scorers()[i].HigherIsLikelier
}

func bySource(p Scored) (string, Scored) { return p.Source, p }

func lessByHigher(a, b Scored) bool {
	if a.Scores[0] != b.Scores[0] {
		return a.Scores[0] < b.Scores[0]
	}
	return a.Target > b.Target
}

func lessByLower(a, b Scored) bool {
	if a.Scores[0] != b.Scores[0] {
		return a.Scores[0] > b.Scores[0]
	}
	return a.Target > b.Target
}

func eachOf(list []Scored, emit func(Scored)) {
	for _, p := range list {
		emit(p)
	}
}

func hasScore(p Scored, emit func(Scored)) {
	if !math.IsNaN(p.Scores[0]) {
		emit(p)
	}
}
