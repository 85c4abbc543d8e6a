package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"unicode"
)

// classAttribute is the attribute that has the classes of vertices, shuffledAttribute has
// those of other vertices, and classSeparator separates the classes of a vertex that has
// several.
const (
	classAttribute    = "area"
	shuffledAttribute = "shuffled"
	classSeparator    = "|"
)

// writeLabels makes a table with a line for each vertex, which IMPORT VERTICES needs, from
// a file with a vertex and one of its classes a line, which may be compressed by gzip.
func writeLabels(from, to string) error {
	content, err := readPlain(from)
	if err != nil {
		return fmt.Errorf("paper: labels of %s: %w", from, err)
	}
	var keys []string
	classes := map[string][]string{}
	for line := range strings.Lines(content) {
		record := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if len(record) != 2 {
			continue
		}
		if classes[record[0]] == nil {
			keys = append(keys, record[0])
		}
		classes[record[0]] = append(classes[record[0]], record[1])
	}
	records := [][]string{{"key", classAttribute + ":text", shuffledAttribute + ":text"}}
	other := rand.New(rand.NewPCG(1, 1)).Perm(len(keys))
	for i, key := range keys {
		records = append(records, []string{key, strings.Join(classes[key], classSeparator), strings.Join(classes[keys[other[i]]], classSeparator)})
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		err = errors.Join(csv.NewWriter(out).WriteAll(records), out.Close())
	}
	if err != nil {
		return fmt.Errorf("paper: labels: %w", err)
	}
	return nil
}

// readPlain reads a file, and decompresses it if its name ends in .gz.
func readPlain(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return string(content), err
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	content, err = io.ReadAll(plain)
	return string(content), err
}
