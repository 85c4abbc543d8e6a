package transform

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"heavytail/query/shard"
	"heavytail/storage/format"
)

var (
	shardsRun = beam.NewCounter(namespace, "shards")
	rowsRead  = beam.NewCounter(namespace, "rows")
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&runShard{})
	register.DoFn3x1[context.Context, []byte, func(*int) bool, error](&checkShards{})
	register.Emitter1[int]()
	register.Iter1[int]()
	beam.RegisterType(reflect.TypeFor[runShard]())
	beam.RegisterType(reflect.TypeFor[checkShards]())
}

// Shards runs the shards of the plan in the folder dir on a heavytail file. Both names are
// those that the workers know: all of them must see the same folder. Shards that are done
// are only checked, so that a pipeline which failed can be run again.
//
// The collection has the number of each shard that is done. The pipeline fails unless each
// occurs exactly once; the program merges the parts when it has ended.
func Shards(s beam.Scope, m *shard.Manifest, dir, file string) beam.PCollection {
	s = s.Scope("heavytail.Shards")
	numbers := make([]int, len(m.Shards))
	for i := range numbers {
		numbers[i] = i
	}
	// Without the reshuffle a runner fuses the list with the work, on one worker.
	spread := beam.Reshuffle(s, beam.CreateList(s, numbers))
	done := beam.ParDo(s, &runShard{Dir: dir, File: file}, spread)
	beam.ParDo0(s, &checkShards{Shards: len(m.Shards)}, beam.Impulse(s), beam.SideInput{Input: done})
	return done
}

type runShard struct {
	Dir, File string

	plan *shard.Manifest
}

// Setup reads the plan, once for each worker.
func (f *runShard) Setup() (err error) {
	f.plan, err = shard.Open(f.Dir)
	return err
}

// ProcessElement runs shard number i.
func (f *runShard) ProcessElement(ctx context.Context, i int, emit func(int)) error {
	db, err := open(ctx, f.File)
	if err != nil {
		return err
	}
	if err := waiting(ctx, func() error { return f.plan.Run(ctx, db, i) }); err != nil {
		return err
	}
	shardsRun.Inc(ctx, 1)
	rowsRead.Inc(ctx, f.plan.Shards[i].Rows)
	emit(i)
	return nil
}

// waiting runs a shard again while another process has it. A runner starts a shard a
// second time when it thinks that the first worker is lost. If it is not, the second one
// has nothing to do but to wait for its rows.
func waiting(ctx context.Context, run func() error) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := run()
		if !errors.Is(err, format.ErrPartInUse) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// checkShards fails unless every shard is there once.
type checkShards struct {
	Shards int
}

// ProcessElement reads the numbers of the shards that are done.
func (f *checkShards) ProcessElement(_ context.Context, _ []byte, done func(*int) bool) error {
	seen := make([]bool, f.Shards)
	left := f.Shards
	for i := 0; done(&i); left-- {
		if seen[i] {
			return fmt.Errorf("shard %d occurs twice", i)
		}
		seen[i] = true
	}
	if left > 0 {
		return fmt.Errorf("%d of %d shards: %w", left, f.Shards, shard.ErrIncomplete)
	}
	return nil
}
