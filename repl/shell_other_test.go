//go:build !linux

package repl

import "testing"

// TestShell_Terminals runs on Linux only.
func TestShell_Terminals(t *testing.T) {
	t.Skip("shells are tested in pseudo-terminals, which this test opens as Linux does; " +
		"what they are made of is tested everywhere")
}
