package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"heavytail/index"
	"heavytail/storage/vec"
)

// exact searches for the 10 nearest of rows of METHOD.npy, one at a time and in
// batches, and for all of them. For comparison it copies the vectors, which counts bytes read and bytes
// written. Each line has a name, the seconds and the processor seconds of one pass,
// each the best of some rounds, and a rate per processor second: GB/s of vectors,
// or GFLOP/s of the products.
func (f folder) exact(method string) error {
	const k, rounds, singles = 10, 7, 5
	m, err := f.vectors(method)
	if err != nil {
		return err
	}
	ctx := context.Background()
	exact, err := index.NewExact(m, index.L2)
	if err != nil {
		return err
	}
	to := vec.NewMatrix(m.Rows, m.Dim)
	bytes := 4 * float64(len(m.Data))
	measure := func(name, unit string, amount float64, pass func() error) error {
		var wall, cpu time.Duration
		for round := range rounds {
			clock := startClock()
			if err := pass(); err != nil {
				return err
			}
			w, c := time.Since(clock.wall), clock.spent()
			if round == 0 || w < wall {
				wall = w
			}
			if round == 0 || c < cpu {
				cpu = c
			}
		}
		fmt.Printf("%s %.6f %.6f %.1f %s\n", name, wall.Seconds(), cpu.Seconds(), amount/cpu.Seconds()/1e9, unit)
		return nil
	}
	workers := runtime.GOMAXPROCS(0)
	err = measure("copy", "GB/s", 2*bytes*singles, func() error {
		for range singles {
			vec.Parallel(workers, 1, workers, func(i, _, _ int) {
				lo, hi := i*len(m.Data)/workers, (i+1)*len(m.Data)/workers
				copy(to.Data[lo:hi], m.Data[lo:hi])
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = measure("one", "GB/s", bytes*singles, func() error {
		for i := range singles {
			if _, err := exact.Search(ctx, m.Row(i*m.Rows/singles), k, index.SearchOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, q := range []int{10, 100, 1000} {
		if err != nil {
			return err
		}
		queries := vec.NewMatrix(q, m.Dim)
		for i := range q {
			copy(queries.Row(i), m.Row(i*m.Rows/q))
		}
		err = measure(fmt.Sprintf("batch%d", q), "GFLOP/s", 2*float64(q)*float64(len(m.Data)), func() error {
			_, err := exact.SearchBatch(ctx, queries, k, index.SearchOptions{})
			return err
		})
	}
	if err != nil {
		return err
	}
	all := make([]uint32, m.Rows)
	for i := range all {
		all[i] = uint32(i)
	}
	return measure("all", "GFLOP/s", 2*float64(m.Rows)*float64(len(m.Data)), func() error {
		const size = 4096 // as NEAREST FOR ALL has it
		batches := exact.Batches()
		for lo := 0; lo < m.Rows; lo += size {
			_, err := batches.Nearest(ctx, all[lo:min(lo+size, m.Rows)], k, workers, func(u, v uint32) bool { return u != v })
			if err != nil {
				return err
			}
		}
		return nil
	})
}
