//go:build !unix

package unitball

import "time"

// processorSeconds is the time, where that of the processor is not known.
func processorSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
