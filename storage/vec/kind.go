package vec

import (
	"fmt"
	"os"
	"strings"
)

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

// active is the kind that the exported functions use. It never changes after start.
var active, unknown = choose(os.Getenv("HEAVYTAIL_KERNELS"), available())

// choose returns the kind of a name, or if it is empty the last one, which is the fastest. It
// also returns whether there is no kind of the name.
func choose(name string, kinds []kind) (of kind, unknown bool) {
	for _, k := range kinds {
		if k.String() == name {
			return k, false
		}
	}
	return kinds[len(kinds)-1], name != ""
}

// CheckKind returns an error if the environment variable HEAVYTAIL_KERNELS was not empty and named
// no kind of this machine when the program started; its fastest one is used then.
func CheckKind() error {
	if !unknown {
		return nil
	}
	var names []string
	for _, k := range available() {
		names = append(names, k.String())
	}
	return fmt.Errorf("the environment variable HEAVYTAIL_KERNELS names no kind of kernels of this machine: it has %s", strings.Join(names, ", "))
}

// Kind names the family of kernels in use: "avx512", "avx2", "neon" or
// "portable". Results of two kinds agree to rounding only, so whoever stores a
// result should store the kind with it.
func Kind() string { return active.String() }
