//go:build !unix

package embedding_test

import "time"

// processorSeconds is the time, where that of the processor is not known.
func processorSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
