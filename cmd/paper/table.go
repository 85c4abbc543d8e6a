package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// writeTable writes a table of Markdown whose columns are aligned, with a heading and, if
// it is not empty, a text above it.
func writeTable(text *strings.Builder, title, about string, header []string, lines [][]string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(text, "\n## %s\n\n", title)
	if about != "" {
		text.WriteString(about + "\n\n")
	}
	widths := make([]int, len(header))
	for _, line := range append([][]string{header}, lines...) {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	write := func(line []string) {
		for i, cell := range line {
			text.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		text.WriteString("|\n")
	}
	write(header)
	for _, w := range widths {
		text.WriteString("|" + strings.Repeat("-", w+2))
	}
	text.WriteString("|\n")
	for _, line := range lines {
		write(line)
	}
}

// short is a number with three digits after the point and no zero before it, or nothing.
func short(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	text := strconv.FormatFloat(v, 'f', 3, 64)
	return strings.Replace(strings.Replace(text, "-", "−", 1), "0.", ".", 1)
}

// signed writes a difference with two digits after the point.
func signed(x float64) string {
	text := strings.Replace(fmt.Sprintf("%+.2f", x), "0.", ".", 1)
	return strings.Replace(text, "-", "−", 1)
}

// percent writes a part as a whole percentage with its sign.
func percent(x float64) string {
	return strings.Replace(fmt.Sprintf("%+.0f %%", 100*x), "-", "−", 1)
}

// pair writes two numbers, or nothing if there are none.
func pair(v values, a, b string) string {
	if v == nil {
		return ""
	}
	return short(v.get(a)) + " / " + short(v.get(b))
}

// count writes a whole number, or nothing.
func count(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// spread returns the mean and the standard deviation of numbers.
func spread(list []float64) (mean, deviation float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for _, v := range list {
		deviation += (v - mean) * (v - mean) / float64(len(list))
	}
	return mean, math.Sqrt(deviation)
}
