package session

import (
	"context"
	"errors"

	"heavytail/query/fault"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// Directed returns a directed graph, and the snapshot of the same version, as Graph does. It takes, beside
// the snapshot, what DirectedBytes says.
func (c *Call) Directed(graph string, at fault.Part) (*Graph, *csr.Directed, error) {
	for {
		view, err := c.Graph(graph, at)
		if err != nil {
			return nil, nil, err
		}
		key := GraphKey(view.Info)
		key.Kind = "directed"
		value, _, err := c.Pin(key, DirectedBytes(view.Info), "directed graph "+fault.Name(graph), func(ctx context.Context) (any, error) {
			d, info, err := c.store.Directed(ctx, graph)
			if err == nil && info.Version != view.Info.Version {
				err = storage.ErrConflict
			}
			return d, err
		})
		if err == nil {
			return view, value.(*csr.Directed), nil
		}
		if !errors.Is(err, storage.ErrConflict) {
			return nil, nil, err
		}
		c.Forget(graph)
	}
}

// DirectedBytes is the memory of a csr.Directed.
func DirectedBytes(info storage.GraphInfo) int64 {
	perArc := int64(8)
	if info.Weighted {
		perArc += 8
	}
	if info.Timed {
		perArc += 16
	}
	return perArc*info.Arcs + 16*int64(info.Vertices)
}
