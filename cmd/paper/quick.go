package paper

import (
	"fmt"
	"slices"
	"strings"
)

// leftOut says what a quick run leaves out, whether other runs have made it or not.
func (e *experiment) leftOut() string {
	if !e.config.Quick {
		return ""
	}
	var text strings.Builder
	text.WriteString("\n## What a quick run leaves out\n\n")
	for _, d := range e.graphs {
		trials := e.trials(d)
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
	text.WriteString("- Of every graph: tuned methods, and figures 1 and 3.\n\nThe same command without --quick makes these, and keeps what is there.\n")
	return text.String()
}
