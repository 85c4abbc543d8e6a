package reading

import "heavytail/storage/format"

// Course is what a text says of the direction of an edge, or of all of them.
type Course uint8

// The courses.
const (
	unsaid Course = iota
	CourseUndirected
	CourseDirected
)

// CourseOf returns the one of edges that are directed or not.
func CourseOf(directed bool) Course {
	if directed {
		return CourseDirected
	}
	return CourseUndirected
}

// Direction follows what a text says of the direction of its edges, and passes it to the handler.
type Direction struct {
	Pass   func(directed bool) error // format.Handler.Direction; nil if it is not asked for
	Kept   bool                      // the caller takes directions
	All    Course                    // of the edges that do not say it themselves
	Now    Course                    // of the edge being read
	Both   bool                      // the edge being read has both directions
	Passed Course                    // what the handler received
}

// NewDirection returns what follows the direction for a handler, as the options choose.
func NewDirection(opts format.Options, h format.Handler) Direction {
	switch opts.Directed {
	case format.Directed:
		return Direction{Kept: true}
	case format.Undirected:
		return Direction{}
	}
	return Direction{Pass: h.Direction, Kept: h.Direction != nil}
}

// LateDirection says what is wrong with an edge that is directed below edges that were not.
const LateDirection = "an edge is directed, and the text did not say so before its first edge; directed := true reads it as a directed graph, and directed := false as an undirected one"

// Edge sets Both, and passes the direction before the first edge. late means that the edge is directed, and
// the handler has received no direction, or another one.
func (d *Direction) Edge(e *format.Edge, first bool) (late bool, err error) {
	e.Both = d.Both || d.Now == CourseUndirected
	if d.Pass == nil {
		return false, nil
	}
	if first {
		if err := d.Declare(max(d.All, d.Now)); err != nil {
			return false, err
		}
	}
	return d.Now == CourseDirected && d.Passed != CourseDirected, nil
}

// Declare passes a direction to the handler, unless it has one.
func (d *Direction) Declare(c Course) error {
	if d.Pass == nil || d.Passed != unsaid || c == unsaid {
		return nil
	}
	d.Passed = c
	return d.Pass(c == CourseDirected)
}
