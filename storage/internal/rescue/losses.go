package rescue

import (
	"fmt"

	"heavytail/storage/internal/fault"
)

// Losses collects what was lost, by place in order of discovery.
type Losses struct {
	places []string
	first  map[string]string
	count  map[string]int
}

func (l *Losses) add(where string, err error) {
	if l.first == nil {
		l.first, l.count = make(map[string]string), make(map[string]int)
	}
	if l.count[where]++; l.count[where] == 1 {
		l.places = append(l.places, where)
		l.first[where] = fault.Reason(err)
	}
}

// List gives one line per place.
func (l *Losses) List() []string {
	var lines []string
	for _, where := range l.places {
		line := where + ": " + l.first[where]
		if more := l.count[where] - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more faults there)", more)
		}
		lines = append(lines, line)
	}
	return lines
}
