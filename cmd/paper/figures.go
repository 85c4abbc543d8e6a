package main

import (
	_ "embed" // for the figures
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The figures that the paper prints, one a line.
//
//go:embed figures.csv
var figuresText string

// Names of the methods in the paper.
const (
	le         = "LE"
	deepWalk   = "DeepWalk"
	dpSpectral = "DP-Spectral"
	dpWalker   = "DP-Walker"
)

// methods are the methods of the paper in its order.
func methods() []string { return []string{le, deepWalk, dpSpectral, dpWalker} }

// printed names one number of the paper's tables.
type printed struct {
	table                  int
	graph, method, measure string
}

// figures are the numbers that the paper prints.
type figures map[printed]float64

func readFigures() (figures, error) {
	reader := csv.NewReader(strings.NewReader(figuresText))
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("paper: figures: %w", err)
	}
	list := figures{}
	for i, r := range records[1:] {
		table, err := strconv.Atoi(r[0])
		if err != nil {
			return nil, fmt.Errorf("paper: figures: record %d: %w", i+2, err)
		}
		value, err := strconv.ParseFloat(r[4], 64)
		if err != nil {
			return nil, fmt.Errorf("paper: figures: record %d: %w", i+2, err)
		}
		list[printed{table, r[1], r[2], r[3]}] = value
	}
	list.summarise()
	return list, nil
}

// Measures of Table 4 over its classes, which the paper prints one by one.
const (
	meanAccuracy      = "mean accuracy"
	deviationAccuracy = "deviation of accuracy"
)

// summarise adds mean and deviation of the accuracies in Table 4.
func (f figures) summarise() {
	const table, graph = 4, "Citation"
	for _, m := range methods() {
		var accuracies []float64
		for _, class := range []string{"architecture", "computer network", "computer science", "data mining", "theory", "graphics", "unknown"} {
			accuracies = append(accuracies, f.of(table, graph, m, class))
		}
		mean, deviation := spread(accuracies)
		f[printed{table, graph, m, meanAccuracy}] = mean
		f[printed{table, graph, m, deviationAccuracy}] = deviation
	}
}

// of returns the figure of a method on a graph, NaN if the paper has none.
func (f figures) of(table int, graph, method, measure string) float64 {
	if v, there := f[printed{table, graph, method, measure}]; there {
		return v
	}
	return math.NaN()
}
