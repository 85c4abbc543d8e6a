package search

import (
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
)

// SettledSpace loads an embedding and its graph, in versions that belong together.
func SettledSpace(c *engine.Call, embedding string) (s *session.Space, err error) {
	err = c.Consistent(func() error {
		s, err = c.Space(embedding, fault.Embedding)
		return err
	})
	return s, err
}
