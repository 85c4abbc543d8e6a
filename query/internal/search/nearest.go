package search

import "heavytail/query/fault"

// CheckCount returns an Error for a number of neighbours below 1.
func CheckCount(k int) error {
	if k < 1 {
		return fault.New(fault.Number, "the number of neighbours is %d, and must be at least 1", k)
	}
	return nil
}
