package vec

// kind names one family of kernels. Which kinds exist depends on the
// architecture the program was built for; the portable one always does.
type kind uint8

const (
	portable kind = iota
	neon
	avx2
	avx512
)

func (k kind) String() string {
	switch k {
	case neon:
		return "neon"
	case avx2:
		return "avx2"
	case avx512:
		return "avx512"
	}
	return "portable"
}

// active is the kind that the exported functions use: the last, and so the
// fastest, of those that this processor can run. It never changes after start.
var active = func() kind {
	kinds := available()
	return kinds[len(kinds)-1]
}()

// Kind names the family of kernels in use: "avx512", "avx2", "neon" or
// "portable". Results of two kinds agree to rounding only, so whoever stores a
// result should store the kind with it.
func Kind() string { return active.String() }
