package format

// course is what a text says of the direction of an edge, or of all of them.
type course uint8

const (
	courseUnsaid course = iota
	courseUndirected
	courseDirected
)

func courseOf(directed bool) course {
	if directed {
		return courseDirected
	}
	return courseUndirected
}

// direction follows what a text says of the direction of its edges, and passes it to the handler.
type direction struct {
	pass   func(directed bool) error // Handler.Direction; nil if it is not asked for
	kept   bool                      // the caller takes directions
	all    course                    // of the edges that do not say it themselves
	now    course                    // of the edge being read
	both   bool                      // the edge being read has both directions
	passed course                    // what the handler received
}

func newDirection(opts Options, h Handler) direction {
	switch opts.Directed {
	case Directed:
		return direction{kept: true}
	case Undirected:
		return direction{}
	}
	return direction{pass: h.Direction, kept: h.Direction != nil}
}

const lateDirection = "an edge is directed, and the text did not say so before its first edge; directed := true reads it as a directed graph, and directed := false as an undirected one"

// edge sets Both, and passes the direction before the first edge. late means that the edge is directed, and
// the handler has received no direction, or another one.
func (d *direction) edge(e *Edge, first bool) (late bool, err error) {
	e.Both = d.both || d.now == courseUndirected
	if d.pass == nil {
		return false, nil
	}
	if first {
		if err := d.declare(max(d.all, d.now)); err != nil {
			return false, err
		}
	}
	return d.now == courseDirected && d.passed != courseDirected, nil
}

// declare passes a direction to the handler, unless it has one.
func (d *direction) declare(c course) error {
	if d.pass == nil || d.passed != courseUnsaid || c == courseUnsaid {
		return nil
	}
	d.passed = c
	return d.pass(c == courseDirected)
}
