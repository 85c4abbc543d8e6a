package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// benchmark has the figures of one Go benchmark by their units, one for each run.
type benchmark struct {
	name   string // package and function, as "index: Join-2"
	runs   int
	values map[string][]float64
}

// clock is the unit of the time of a Go benchmark.
const clock = "ns/op"

// benchmarksIn returns the figures of Go benchmarks in the output of go test as one table, or
// none: for each benchmark, in the order of the output, the number of its runs and the median
// of each unit. Times have a unit in which the least is at least 1; the spread next to them is
// half of their range over the median.
func benchmarksIn(text string) []Table {
	list, units := readBenchmarks(text)
	if len(list) == 0 {
		return nil
	}
	short, scale := clockUnit(list)
	t := Table{Columns: []string{"benchmark", "runs"}}
	for _, u := range units {
		if u == clock {
			t.Columns = append(t.Columns, short, "±, %")
			continue
		}
		t.Columns = append(t.Columns, u)
	}
	for _, b := range list {
		row := []string{b.name, strconv.Itoa(b.runs)}
		for _, u := range units {
			row = append(row, b.cells(u, scale)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

// readBenchmarks returns the benchmarks and the units, both in the order of the output.
func readBenchmarks(text string) (list []benchmark, units []string) {
	of := "" // the package and a colon
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "pkg:" {
			of = strings.TrimPrefix(fields[1], "heavytail/") + ": "
		}
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := of + strings.TrimPrefix(fields[0], "Benchmark")
		at := slices.IndexFunc(list, func(b benchmark) bool { return b.name == name })
		if at < 0 {
			at, list = len(list), append(list, benchmark{name: name, values: map[string][]float64{}})
		}
		list[at].runs++
		for pair := range slices.Chunk(fields[2:], 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if err != nil {
				break
			}
			list[at].values[pair[1]] = append(list[at].values[pair[1]], value)
			if !slices.Contains(units, pair[1]) {
				units = append(units, pair[1])
			}
		}
	}
	return list, units
}

// clockUnit returns the unit for the times of benchmarks, and its length in nanoseconds.
func clockUnit(list []benchmark) (unit string, scale float64) {
	least := math.Inf(1)
	for _, b := range list {
		if times := b.values[clock]; times != nil {
			least = min(least, median(times))
		}
	}
	unit, scale = clock, 1
	for _, larger := range []string{"µs/op", "ms/op", "s/op"} {
		if least >= 1000*scale {
			unit, scale = larger, 1000*scale
		}
	}
	return unit, scale
}

// cells returns the cells of a unit: the median, and the spread of times.
func (b benchmark) cells(unit string, scale float64) []string {
	values := b.values[unit]
	switch {
	case values == nil && unit == clock:
		return []string{"", ""}
	case values == nil:
		return []string{""}
	case unit != clock:
		return []string{digits(median(values))}
	}
	m := median(values)
	spread := (slices.Max(values) - slices.Min(values)) / 2
	return []string{digits(m / scale), strconv.FormatFloat(100*spread/max(m, math.SmallestNonzeroFloat64), 'f', 0, 64)}
}

// median returns the median of at least one number, and sorts them.
func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// digits writes a number with four digits, and all of those before the point.
func digits(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
