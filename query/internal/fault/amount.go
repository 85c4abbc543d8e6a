package fault

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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

// ParseBytes reads a number of bytes: "1048576", "500MB" or "1.5 GiB".
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(digits):]))
	step := 1000.0
	if strings.HasSuffix(unit, "IB") {
		step, unit = 1024, strings.TrimSuffix(unit, "IB")+"B"
	}
	power := slices.Index([]string{"B", "KB", "MB", "GB", "TB", "PB", "EB"}, cmp.Or(unit, "B"))
	number, err := strconv.ParseFloat(digits, 64)
	bytes := number * math.Pow(step, float64(power))
	if err != nil || power < 0 || !(bytes >= 0 && bytes < math.MaxInt64) {
		return 0, fmt.Errorf("%s is not a number of bytes, such as 4GiB or 500MB", Quote(text))
	}
	return int64(bytes), nil
}
