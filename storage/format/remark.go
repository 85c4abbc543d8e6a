package format

import (
	"fmt"
	"slices"
	"strings"
)

// remarkNames is how many names a remark keeps: enough to recognise the file, few enough for one
// line.
const remarkNames = 5

// MissingValues is the kind of remark on words that mean missing values, see IsMissing.
const MissingValues = "values taken as missing in attributes of numbers or booleans"

// MissingRemedy is its remedy.
const MissingRemedy = `the type text in a header keeps them, as in "age:text"`

// Remark is one kind of thing that a reader left out, renamed or had to choose, so that nothing of
// a file is lost without being said. A read has one remark of each kind, in the order in which the
// kinds first appear in the file.
type Remark struct {
	What   string   `json:"what"`   // what was done, in the plural: "attributes of edges left out"
	Count  int64    `json:"count"`  // how often
	Names  []string `json:"names"`  // the first distinct names or values concerned, at most five
	Line   int64    `json:"line"`   // of the first, from 1; 0 if the format has no lines
	Remedy string   `json:"remedy"` // the option that decides otherwise; empty if there is none
}

// String returns the remark as a sentence without a full stop, such as "attributes of edges left
// out: 3 (since, kind), the first in line 7".
func (n Remark) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d", n.What, n.Count)
	if len(n.Names) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(n.Names, ", "))
	}
	if n.Line > 0 {
		fmt.Fprintf(&b, ", the first in line %d", n.Line)
	}
	if n.Remedy != "" {
		b.WriteString("; " + n.Remedy)
	}
	return b.String()
}

// Add adds a remark; its count is added to one of the same kind.
func (s *ReadStats) Add(r Remark) {
	i := slices.IndexFunc(s.Remarks, func(n Remark) bool { return n.What == r.What })
	if i < 0 {
		s.Remarks = append(s.Remarks, r)
		return
	}
	n := &s.Remarks[i]
	n.Count += r.Count
	for _, name := range r.Names {
		if len(n.Names) < remarkNames && !slices.Contains(n.Names, name) {
			n.Names = append(n.Names, name)
		}
	}
}

// remark counts one thing of a kind; line and remedy of the first are kept. An empty name is not
// listed. Kinds are few, so that they are searched in turn.
func (s *ReadStats) remark(what, name string, line int64, remedy string) {
	s.remarks(what, name, 1, line, remedy)
}

// remarks is remark for several things with the same name.
func (s *ReadStats) remarks(what, name string, count, line int64, remedy string) {
	i := slices.IndexFunc(s.Remarks, func(n Remark) bool { return n.What == what })
	if i < 0 {
		i = len(s.Remarks)
		s.Remarks = append(s.Remarks, Remark{What: what, Line: line, Remedy: remedy})
	}
	n := &s.Remarks[i]
	n.Count += count
	if name != "" && len(n.Names) < remarkNames && !slices.Contains(n.Names, name) {
		n.Names = append(n.Names, strings.Clone(name))
	}
}

// tally counts things of one kind by their names, for a remark at the end of a read: counting each
// in the remark would take longer.
type tally struct {
	what, remedy string
	names        map[string]*tallied
	order        []string
}

type tallied struct{ count, line int64 }

// tallyNames is how many names a tally distinguishes.
const tallyNames = 1024

// add counts one thing. line is called for the first of a name.
func (t *tally) add(name string, line func() int64) {
	if n := t.names[name]; n != nil {
		n.count++
		return
	}
	if len(t.names) == tallyNames {
		name = t.order[tallyNames-1]
		t.names[name].count++
		return
	}
	if t.names == nil {
		t.names = map[string]*tallied{}
	}
	name = strings.Clone(name)
	t.names[name] = &tallied{1, line()}
	t.order = append(t.order, name)
}

// report makes the remark, if there was anything to count.
func (t *tally) report(s *ReadStats) {
	for _, name := range t.order {
		n := t.names[name]
		s.remarks(t.what, shown([]byte(name)), n.count, n.line, t.remedy)
	}
}
