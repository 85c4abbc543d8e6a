package gather

import (
	"context"
	"math/bits"

	"heavytail/storage/internal/block"
)

// radixSort sorts pairs of numbers, one in each half of a value, by counting 11 bits at a time from
// the lowest up. It returns the sorted values and the remaining list: both are list and spare, in
// either order, where a larger list replaces a spare that is too small.
func radixSort(ctx context.Context, list, spare []uint64) (sorted, other []uint64, err error) {
	if len(list) < 2 {
		return list, spare, nil
	}
	if cap(spare) < len(list) {
		spare = make([]uint64, len(list), cap(list))
	}
	sorted, other = list, spare[:len(list)]
	err = eachDigit(ctx, len(list), func(i int) uint64 { return list[i] }, func(shift int, mask uint64) error {
		from, to := sorted, other
		var count [1 << radixDigit]int
		for i, e := range from {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			count[e>>shift&mask]++
		}
		positions(&count)
		for i, e := range from {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			d := e >> shift & mask
			to[count[d]] = e
			count[d]++
		}
		sorted, other = to, from
		return nil
	})
	return sorted, other, err
}

// sortOccurrences sorts occurrences by their edges as radixSort does; occurrences of the same edge
// keep their order.
func sortOccurrences(ctx context.Context, list, spare []occurrence) (sorted, other []occurrence, err error) {
	if len(list) < 2 {
		return list, spare, nil
	}
	if cap(spare) < len(list) {
		spare = make([]occurrence, len(list), cap(list))
	}
	sorted, other = list, spare[:len(list)]
	err = eachDigit(ctx, len(list), func(i int) uint64 { return list[i].edge }, func(shift int, mask uint64) error {
		from, to := sorted, other
		var count [1 << radixDigit]int
		for i := range from {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			count[from[i].edge>>shift&mask]++
		}
		positions(&count)
		for i := range from {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			d := from[i].edge >> shift & mask
			to[count[d]] = from[i]
			count[d]++
		}
		sorted, other = to, from
		return nil
	})
	return sorted, other, err
}

const radixDigit = 11 // 2,048 counters and write positions stay in the first-level cache

// eachDigit calls pass for every digit of n values, from the lowest up, and skips digits that are
// zero in all values.
func eachDigit(ctx context.Context, n int, value func(i int) uint64, pass func(shift int, mask uint64) error) error {
	var any uint64
	for i := range n {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		any |= value(i)
	}
	width := bits.Len32(uint32(any>>32) | uint32(any))
	for half := 0; half <= 32; half += 32 {
		for low := 0; low < width; low += radixDigit {
			if err := pass(half+low, uint64(1)<<min(radixDigit, width-low)-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// positions replaces the counts of the digits by the position of the first value with each digit.
func positions(count *[1 << radixDigit]int) {
	sum := 0
	for d, c := range count {
		count[d] = sum
		sum += c
	}
}
