//go:build !unix

package unitball

import "time"

// processorSeconds returns the time of the clock, since the processor time is unknown.
func processorSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
