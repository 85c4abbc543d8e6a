package reading

import (
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/internal/excerpt"
)

// Stats are the statistics of a read while it runs.
type Stats struct{ format.ReadStats }

// Edge is an edge that is being read.
type Edge struct {
	format.Edge
	Cut bool // the time had a fraction, which is left out
}

// Set sets the weight and the time.
func (e *Edge) Set(m *figure.Measures) {
	e.Weight, e.Time, e.Weighted, e.Timed, e.Dated, e.Cut = m.Weight, m.Time, m.Weighted, m.Timed, m.Dated, m.Cut
}

// Skip counts a malformed line.
func (s *Stats) Skip(err *format.LineError) {
	s.Skipped++
	if s.FirstSkipped == nil {
		s.FirstSkipped = err
	}
}

// SetTime makes a date of the time of an edge in units of which so many make a second; 0 leaves it. A
// fraction that is left out is remarked.
func (s *Stats) SetTime(e *Edge, perSecond, line int64) {
	if perSecond > 0 {
		m := figure.Measures{Time: e.Time, Timed: e.Timed, Dated: e.Dated, Cut: e.Cut}
		m.InSeconds(perSecond)
		e.Time, e.Dated, e.Cut = m.Time, m.Dated, m.Cut
	}
	if e.Cut {
		s.Remark("times without their fractions", "", line, "")
	}
}

// Measured counts an edge among those with a weight or a time.
func (s *Stats) Measured(e *format.Edge) {
	if e.Weighted {
		s.Weighted++
	}
	if e.Timed {
		s.Timed++
	}
	if e.Dated {
		s.Dated++
	}
}

// Remark counts one thing of a kind; line and remedy of the first are kept. An empty name is not
// listed. Kinds are few, so that they are searched in turn.
func (s *Stats) Remark(what, name string, line int64, remedy string) {
	s.RemarkMany(what, name, 1, line, remedy)
}

// RemarkMany is remark for several things with the same name.
func (s *Stats) RemarkMany(what, name string, count, line int64, remedy string) {
	i := slices.IndexFunc(s.Remarks, func(n format.Remark) bool { return n.What == what })
	if i >= 0 && (name == "" || slices.Contains(s.Remarks[i].Names, name)) {
		s.Remarks[i].Count += count
		return
	}
	r := format.Remark{What: what, Count: count, Line: line, Remedy: remedy}
	if name != "" {
		r.Names = []string{strings.Clone(name)}
	}
	s.Add(r)
}

// Tally counts things of one kind by their names, for a remark at the end of a read: counting each
// in the remark would take longer.
type Tally struct {
	What, Remedy string
	names        map[string]*tallied
	order        []string
}

type tallied struct{ count, line int64 }

// tallyNames is how many names a tally distinguishes.
const tallyNames = 1024

// Add counts one thing. line is called for the first of a name.
func (t *Tally) Add(name string, line func() int64) {
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

// Report makes the remark, if there was anything to count.
func (t *Tally) Report(s *Stats) {
	for _, name := range t.order {
		n := t.names[name]
		s.RemarkMany(t.What, excerpt.Name([]byte(name)), n.count, n.line, t.Remedy)
	}
}

// Measure sets the weight and the time of an edge, of which the fields have the texts, or returns what is
// wrong as figure.Measures.Read does. It takes words such as NA for missing weights and times, with a remark.
func (s *Stats) Measure(edge *Edge, field *[delimited.Roles][]byte, line int64) (bad delimited.Role, reason func() string) {
	m := figure.Measures{Weight: 1}
	for {
		bad, reason = m.Read(field)
		edge.Set(&m)
		if bad == delimited.Ignored || !format.IsMissing(field[bad]) {
			return bad, reason
		}
		s.Remark(bad.String()+"s taken as missing", string(field[bad]), line, "")
		field[bad] = nil
	}
}
