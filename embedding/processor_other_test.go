//go:build !unix

package embedding_test

import "time"

// processorSeconds is the elapsed time, because processor time is not known on this system.
func processorSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
