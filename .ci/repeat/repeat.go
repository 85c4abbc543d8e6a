// Package repeat says how much tests do that try the same with many seeds, at many moments or
// at many places. It is for tests only.
//
// The environment variable HEAVYTAIL_REPEAT, 1 by default, multiplies that. The steps repeat
// and long of .ci/run set it.
package repeat

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Times returns the number of repetitions: n, or a third of that with -short.
func Times(n int) int {
	if testing.Short() {
		return (n + 2) / 3
	}
	return n * factor()
}

// Every returns the step between the cases that a test picks from a long list: at most n, and
// 1 if it tries all of them.
func Every(n int) int { return max(1, n/factor()) }

// Step returns a random distance to the next such case, on average Every(n).
func Step(random *rand.Rand, n int) int { return 1 + random.IntN(2*Every(n)-1) }

// Long reports whether tests and benchmarks of minutes run, which repeat nothing.
func Long() bool { return factor() >= 20 }

func factor() int {
	text := os.Getenv("HEAVYTAIL_REPEAT")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("HEAVYTAIL_REPEAT is %q, expected a number of at least 1", text))
	}
	return n
}
