package storage

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

func describeGraph(name string) string { return fmt.Sprintf("graph %q", name) }

func describeEmbedding(name string) string { return fmt.Sprintf("embedding %q", name) }

func describeAttribute(graph, name string) string {
	return fmt.Sprintf("%s, attribute %q", describeGraph(graph), name)
}

// describePath names a bucket below the root bucket for a person.
func describePath(path [][]byte) string {
	if len(path) == 0 {
		return ""
	}
	text := string(path[0])
	for i, part := range path[1:] {
		if i == 0 && bytes.Equal(path[0], block.ObjectsName) && len(part) == 8 {
			text += fmt.Sprintf(" %d", block.IDOf(part))
		} else {
			text += fmt.Sprintf(", %q", fault.Clip(string(part)))
		}
	}
	return text
}

// generationName is the name of a past generation.
func generationName(name string, generation uint64) string {
	return name + "@" + strconv.FormatUint(generation, 10)
}

// splitGeneration splits the name of a generation, and reports whether it is one.
func splitGeneration(name string) (base string, generation uint64, ok bool) {
	at := strings.LastIndexByte(name, '@')
	if at < 1 {
		return name, 0, false
	}
	generation, err := strconv.ParseUint(name[at+1:], 10, 64)
	return name[:at], generation, err == nil && generation > 0 && generationName(name[:at], generation) == name
}

// statePart names the state of an embedding in faults.
const statePart = "state"

// changeLogPart names the change log in faults.
const changeLogPart = "change log"
