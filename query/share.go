package query

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
)

// This file has the option share of EVALUATE LINKS, TRAIN MODEL, TUNE and EXPORT PAIRS.

func shareOption(doc string) OptionInfo {
	return OptionInfo{Name: "share", Type: "float", Default: fmt.Sprint(evaluate.DefaultShare), Doc: doc}
}

// share returns the option, or 0 for the default.
func (b *binder) share(set bind.Settings) float64 {
	share, given := set["share"].(float64)
	if given && share == 0 {
		b.Fail(shareOutside(share))
	}
	b.Fail(checkShare(share))
	return share
}

// checkShare returns an Error for a share of a request that is neither 0, the default, nor
// between 0 and 1.
func checkShare(share float64) error {
	if !(share >= 0 && share < 1) {
		return shareOutside(share)
	}
	return nil
}

func shareOutside(share float64) error {
	return fault.OfOption("share", "is %v, and must be above 0 and below 1", share)
}
