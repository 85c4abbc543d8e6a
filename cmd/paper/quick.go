package main

import (
	"fmt"
	"slices"
	"strings"
)

// leftOut describes what a quick run leaves out, even if other runs have made it.
func (e *experiment) leftOut() string {
	if !e.config.Quick {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n## What a quick run leaves out\n\n")
	for _, d := range e.graphs {
		trials := d.trials(e.uses)
		left := slices.DeleteFunc(slices.Clone(trials), quickly)
		var parts []string
		for _, t := range left {
			parts = append(parts, fmt.Sprintf("%s in the form %s", t.method, t.form))
		}
		switch {
		case len(left) == len(trials):
			fmt.Fprintf(&text, "- %s: all.\n", d.name)
		case len(left) > 0:
			fmt.Fprintf(&text, "- %s: %s.\n", d.name, strings.Join(parts, ", "))
		}
	}
	text.WriteString("- Of every graph: tuned methods, and figures 1 and 3.\n\nThe same command without -quick makes these, and keeps what is there.\n")
	return text.String()
}

// quickly reports whether a quick run has a method on a graph. The choice follows
// measured processor seconds, so that the run takes ten minutes on two processors.
// Steps of more than 40 processor seconds are left out, except unit_ball on
// Synthetic: no other method reconstructs most of the edges of that graph.
func quickly(t trial) bool {
	switch t.graph.name {
	case "Coauthor", "Facebook":
		return true
	case "Synthetic":
		return t.form != fromWalks
	case "Citation":
		return t.method == le || t.method == dpSpectral
	}
	return false
}
