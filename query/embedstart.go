package query

import (
	"errors"
	"fmt"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/job"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file resolves what EMBED and ESTIMATE EMBED read: the graph, and the embedding with
// whose vectors a method begins.

// chosen is what the names in an EmbedRequest refer to.
type chosen struct {
	configured
	graph      storage.GraphInfo
	start      session.Entry // with whose vectors the computation begins; zero for none
	generation uint64        // generation of the result; 0 if nothing is stored
}

// startEmbedding returns the name of the embedding to begin with; empty for none.
func (m configured) startEmbedding() string {
	name, _ := m.settings[storage.SettingStart].(string)
	return name
}

// reads resolves what the computation reads.
func reads(c *engine.Call, found chosen, graph string) (chosen, error) {
	var err error
	if found.graph, err = embeddable(c, graph); err == nil {
		found.start, err = startOf(c, found)
	}
	return found, err
}

// embeddable returns the entry of a graph that has vertices.
func embeddable(c *engine.Call, graph string) (storage.GraphInfo, error) {
	info, err := c.GraphInfo(graph, fault.Graph)
	if err == nil && info.Vertices == 0 {
		err = fault.New(fault.Graph, "graph %s has no vertices to embed", fault.Quote(graph))
	}
	return info, err
}

// startOf returns the entry of the embedding to begin with, which must be one of the graph.
// A job that continues from a checkpoint does not read it any more.
func startOf(c *engine.Call, found chosen) (session.Entry, error) {
	name := found.startEmbedding()
	if name == "" {
		return session.Entry{}, nil
	}
	start, err := c.Entry(name, fault.Option(storage.SettingStart))
	if err == nil && start.Graph.ID != found.graph.ID {
		err = fault.OfOption(storage.SettingStart, "is %s, which belongs to graph %s, not %s", fault.Quote(name), fault.Name(start.Graph.Name), fault.Name(found.graph.Name)).
			WithErr(errors.Join(fault.ErrInvalid, storage.ErrInvalid))
	}
	if c.Continues && err != nil && (errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrInvalid)) {
		return session.Entry{}, nil
	}
	return start, err
}

// checkOwnStart returns an Error for an embedding that began with the vectors of another one:
// computed again without the edges that a training hides, it would still know them.
func checkOwnStart(info storage.EmbeddingInfo) error {
	start := engine.ValueOf(info.Options, storage.SettingStart)
	if start == "" {
		return nil
	}
	return fault.New(fault.Embedding, "embedding %s began with the vectors of %s, which know the edges that the training hides", fault.Quote(info.Name), fault.Quote(start)).
		WithRemedy("embed with start := 'deepwalk', which is computed again without them").WithErr(fault.ErrInvalid)
}

// inputs are the steps that load what the computation reads.
func (f chosen) inputs() []*plan.Plan {
	list := []*plan.Plan{session.GraphPlan(f.graph)}
	if f.start.Info.Name != "" {
		from := f.start.Plan()
		list = append(list, &plan.Plan{Step: from.Step, Detail: from.Detail}) // measured with the method
	}
	return list
}

// purpose says what the memory of the computation is for, and which methods take less
// where the memory of this one grows with pairs of vertices.
func (f chosen) purpose(graph string) string {
	text := "embedding graph " + fault.Name(graph)
	if instead := run.Instead(f.method.Name); instead != "" {
		text += fmt.Sprintf(" by %s (%s take less)", f.method.Name, instead)
	}
	return text
}

// spec has the memory of the job.
func (f chosen) spec(g *session.Graph) job.Spec {
	spec := job.Spec{Graph: g.Info, Memory: f.bytes(g)}
	if run.GivesBack(g.Info.Vertices, f.method.Name, f.options) {
		spec.Allocates = spec.Memory
	}
	return spec
}

// bytes estimates the memory of the computation: that of the method, and the vectors to begin
// with and their projection.
func (f chosen) bytes(g *session.Graph) int64 {
	return f.configured.bytes(g) + 2*session.VectorBytes(f.start.Info.Vertices, f.start.Info.Dim)
}
