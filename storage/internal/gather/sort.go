package gather

import (
	"context"
	"math/bits"
	"runtime"

	"heavytail/storage/internal/block"
	"heavytail/storage/vec"
)

// radixSort sorts pairs of numbers, one in each half of a value, by counting 11 bits at a time from
// the lowest up. It returns the sorted values and the remaining list: both are list and spare, in
// either order, where a larger list replaces a spare that is too small. All processors sort: each
// of them takes a part of the list, and equal digits keep the order of the parts.
func radixSort(ctx context.Context, list, spare []uint64) (sorted, other []uint64, err error) {
	if len(list) < 2 {
		return list, spare, nil
	}
	if cap(spare) < len(list) {
		spare = room[uint64](cap(list))
	}
	from, to := list, spare[:len(list)]
	high := func(lo, hi int) (any uint64) {
		for _, e := range from[lo:hi] {
			any |= e
		}
		return any
	}
	err = eachDigit(ctx, len(list), high, func(shift int, mask uint64, parts partition) error {
		err := parts.move(ctx, func(lo, hi int, count *digits) {
			for _, e := range from[lo:hi] {
				count[e>>shift&mask]++
			}
		}, func(lo, hi int, next *digits) {
			for _, e := range from[lo:hi] {
				d := e >> shift & mask
				to[next[d]] = e
				next[d]++
			}
		})
		from, to = to, from
		return err
	})
	return from, to, err
}

// roomy is from how many elements on a list is in huge pages.
const roomy = 1 << 20

// room returns an empty list with room for n elements, in huge pages where there are such and it is so large that
// a part of one does not matter.
func room[T any](n int) []T {
	if n < roomy {
		return make([]T, 0, n)
	}
	return vec.Zeros[T](n)[:0]
}

// sortOccurrences sorts occurrences by their edges as radixSort does; occurrences of the same edge
// keep their order.
func sortOccurrences(ctx context.Context, list, spare []occurrence) (sorted, other []occurrence, err error) {
	if len(list) < 2 {
		return list, spare, nil
	}
	if cap(spare) < len(list) {
		spare = room[occurrence](cap(list))
	}
	from, to := list, spare[:len(list)]
	high := func(lo, hi int) (any uint64) {
		for i := range from[lo:hi] {
			any |= from[lo+i].edge
		}
		return any
	}
	err = eachDigit(ctx, len(list), high, func(shift int, mask uint64, parts partition) error {
		err := parts.move(ctx, func(lo, hi int, count *digits) {
			part := from[lo:hi]
			for i := range part {
				count[part[i].edge>>shift&mask]++
			}
		}, func(lo, hi int, next *digits) {
			part := from[lo:hi]
			for i := range part {
				d := part[i].edge >> shift & mask
				to[next[d]] = part[i]
				next[d]++
			}
		})
		from, to = to, from
		return err
	})
	return from, to, err
}

const radixDigit = 11 // 2,048 counters and write positions stay in the first-level cache

// digits has a number for each value of a digit.
type digits [1 << radixDigit]int

// eachDigit calls pass for every digit of n values, from the lowest up, and skips digits that are
// zero in all values. high returns the bits that are set in any of the values from lo to hi.
func eachDigit(ctx context.Context, n int, high func(lo, hi int) uint64, pass func(shift int, mask uint64, parts partition) error) error {
	parts := newPartition(n, leastPart)
	bitsOf := make([]uint64, parts.count())
	if err := parts.each(ctx, func(part, lo, hi int) { bitsOf[part] |= high(lo, hi) }); err != nil {
		return err
	}
	any := uint64(0)
	for _, b := range bitsOf {
		any |= b
	}
	width := bits.Len32(uint32(any>>32) | uint32(any))
	for half := 0; half <= 32; half += 32 {
		for low := 0; low < width; low += radixDigit {
			if err := pass(half+low, uint64(1)<<min(radixDigit, width-low)-1, parts); err != nil {
				return err
			}
		}
	}
	return nil
}

// leastPart is the smallest part of a list that is worth a goroutine: about a millisecond.
const leastPart = 1 << 17

// partition cuts a list into parts of about the same length, one for each processor.
type partition []int // the ends of the parts, beginning with 0

// newPartition cuts n elements into as many parts as there are processors, and fewer where they
// would have less than least elements.
func newPartition(n, least int) partition {
	count := max(1, min(n/least, runtime.GOMAXPROCS(0)))
	parts := make(partition, count+1)
	for i := range parts {
		parts[i] = int(int64(n) * int64(i) / int64(count))
	}
	return parts
}

func (p partition) count() int { return len(p) - 1 }

// each calls f for all parts in parallel, piece by piece; the pieces of a part come in order.
func (p partition) each(ctx context.Context, f func(part, lo, hi int)) error {
	vec.Parallel(p.count(), 1, p.count(), func(part, _, _ int) {
		for lo := p[part]; lo < p[part+1] && ctx.Err() == nil; lo += block.CheckEvery {
			f(part, lo, min(lo+block.CheckEvery, p[part+1]))
		}
	})
	return ctx.Err()
}

// move distributes a list by a digit: count counts the digits of a piece, and put moves the
// elements of a piece, in order, to the positions of their digits.
func (p partition) move(ctx context.Context, count, put func(lo, hi int, of *digits)) error {
	of := make([]digits, p.count())
	if err := p.each(ctx, func(part, lo, hi int) { count(lo, hi, &of[part]) }); err != nil {
		return err
	}
	sum := 0
	for d := range 1 << radixDigit {
		for part := range of {
			of[part][d], sum = sum, sum+of[part][d]
		}
	}
	return p.each(ctx, func(part, lo, hi int) { put(lo, hi, &of[part]) })
}
