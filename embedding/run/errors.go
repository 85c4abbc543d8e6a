package run

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoWalks is returned for a method that does not learn from walks.
var ErrNoWalks = errors.New("the method has no walks")

// ErrNoStored is returned, in a StartError, where a computation cannot begin with a stored
// embedding: on a part of the graph, it would know the hidden edges.
var ErrNoStored = errors.New("a computation on a part of the graph cannot use its vectors")

// StartError is returned if a run cannot begin with the vectors of the embedding that it
// names: the embedding was dropped, or belongs to another graph.
type StartError struct {
	Embedding string
	Err       error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("no start with the vectors of embedding %q: %v", e.Embedding, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// MethodError is returned for a method that does not exist.
type MethodError struct {
	Method string
	Known  []string
}

func (e *MethodError) Error() string {
	return fmt.Sprintf("unknown method %q: expected %s", e.Method, strings.Join(e.Known, " or "))
}
