package scoring

import (
	"cmp"

	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
)

// Near returns the option in the form of requests: 0 if it is not
// given, and -1 if it is 0.
func Near(b *engine.Binder, set bind.Settings) int {
	if _, given := set["near"]; !given {
		return 0
	}
	return int(cmp.Or(b.Within(set, "near", 0, 1<<20), -1))
}
