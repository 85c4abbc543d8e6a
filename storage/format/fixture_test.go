package format_test

import (
	"math/rand/v2"
	"strconv"
)

// numbers returns an edge list of random vertices below a million.
func numbers(edges int, separator byte) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for range edges {
		text = strconv.AppendUint(text, random.Uint64N(1_000_000), 10)
		text = append(text, separator)
		text = strconv.AppendUint(text, random.Uint64N(1_000_000), 10)
		text = append(text, '\n')
	}
	return text
}
