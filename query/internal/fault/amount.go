package fault

import (
	"fmt"
	"math"
)

// Amount writes a number of units with three digits: "19.1 MiB" where the unit
// is "bytes", and "1.5 M edges" for all others. Bytes have the powers of 1024
// that memory and pages come in, and the names that say so.
func Amount(x float64, unit string) string {
	step, prefixes := 1000.0, []string{"", "k", "M", "G", "T", "P", "E"}
	if unit == "bytes" {
		step, prefixes = 1024, []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	}
	i := 0
	for ; x >= step-0.5 && i < len(prefixes)-1; i++ {
		x /= step
	}
	number := fmt.Sprintf("%.3g", x)
	if x >= 999.5 || i == 0 && x == math.Trunc(x) {
		number = fmt.Sprintf("%.0f", x)
	}
	switch {
	case i == 0:
		return number + " " + unit
	case unit == "bytes":
		return number + " " + prefixes[i] + "B"
	}
	return number + " " + prefixes[i] + " " + unit
}
