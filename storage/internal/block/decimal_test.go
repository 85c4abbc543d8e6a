package block

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// decimalValue is strconv.Atoi for numbers of up to eight digits that are written in their shortest form.
func TestDecimalValue(t *testing.T) {
	check := func(r interface{ Fatalf(string, ...any) }, key string) {
		want, err := strconv.Atoi(key)
		is := err == nil && len(key) <= shortKey && strconv.Itoa(want) == key && key[0] != '-'
		if got, ok := decimalValue([]byte(key)); ok != is || is && got != want {
			r.Fatalf("%q: %d, %v", key, got, ok)
		}
	}
	for n := 1; n <= 100_000_000; n *= 10 {
		for _, m := range []int{n - 1, n, n + 1, 7 * n, 9 * n} {
			check(t, strconv.Itoa(m))
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		key := []byte(strconv.Itoa(rapid.IntRange(0, 1e9).Draw(r, "number")))
		if rapid.Bool().Draw(r, "spoil") {
			key[rapid.IntRange(0, len(key)-1).Draw(r, "place")] = rapid.ByteRange(1, 255).Draw(r, "byte")
		}
		check(r, string(key))
	})
}
