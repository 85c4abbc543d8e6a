package vectors

import (
	"errors"
	"fmt"

	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file resolves what EMBED and ESTIMATE EMBED read: the graph, and the embedding with
// whose vectors a method begins.

// chosen is what the names in an EmbedRequest refer to.
type chosen struct {
	methods.Configured
	graph      storage.GraphInfo
	start      session.Entry // with whose vectors the computation begins; zero for none
	generation uint64        // generation of the result; 0 if nothing is stored
}

// reads resolves what the computation reads.
func reads(c *engine.Call, found chosen, graph string) (chosen, error) {
	var err error
	if found.graph, err = entries.Embeddable(c, graph); err == nil {
		found.start, err = startOf(c, found)
	}
	return found, err
}

// startOf returns the entry of the embedding to begin with, which must be one of the graph.
// A job that continues from a checkpoint does not read it any more.
func startOf(c *engine.Call, found chosen) (session.Entry, error) {
	name := found.StartEmbedding()
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
	if instead := run.Instead(f.Method.Name); instead != "" {
		text += fmt.Sprintf(" by %s (%s take less)", f.Method.Name, instead)
	}
	return text
}

// spec has the memory of the job.
func (f chosen) spec(g *session.Graph) job.Spec {
	spec := job.Spec{Graph: g.Info, Memory: f.bytes(g)}
	if run.GivesBack(g.Info.Vertices, f.Method.Name, f.Options) {
		spec.Allocates = spec.Memory
	}
	return spec
}

// bytes estimates the memory of the computation: that of the method, and the vectors to begin
// with and their projection.
func (f chosen) bytes(g *session.Graph) int64 {
	return f.Configured.Bytes(g) + 2*session.VectorBytes(f.start.Info.Vertices, f.start.Info.Dim)
}
