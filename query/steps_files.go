package query

import (
	"cmp"
	"fmt"

	"heavytail/storage"
	"heavytail/storage/format"
)

// This file has the plans of the statements that bring graphs in and out.

func (o *importOp) plan() *Plan { return o.req.plan() }

func (o *importVerticesOp) plan() *Plan { return o.req.plan() }

// plan of an import.
func (r ImportRequest) plan() *Plan {
	separator, layout := cmp.Or(r.Separator, "auto"), cmp.Or(r.Layout, format.LayoutAuto)
	bad := "end the import"
	if r.SkipBad {
		bad = "are skipped"
	}
	read := fmt.Sprintf("%s, as %s; header %s, separator %s, bad lines %s",
		quote(inputName(r.Path)), layoutTitles[layout], r.Header, quote(separator), bad)
	return result("import", "into graph "+name(r.Graph)+", published in one transaction", measuredStep(stepRead, "text", read))
}

func (o *exportGraphOp) plan() *Plan {
	return writtenFile(o.form.title, o.req.Path, graphInfoPlan(o.info))
}

func (o *exportVerticesOp) plan() *Plan {
	return writtenFile(vertexFormats[0].title, o.req.Path, graphInfoPlan(o.info))
}

func (o *exportWalksOp) plan() *Plan {
	return writtenFile("walks", o.req.Path, measuredStep(stepWrite, "method", o.text, graphInfoPlan(o.info)))
}

func (o *exportEmbeddingOp) plan() *Plan {
	return writtenFile(o.form.title, o.req.Path,
		measuredStep("embedding "+o.info.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d", name(o.info.Name), o.info.Generation, o.info.Vertices, o.info.Dim)))
}

// writtenFile is the last step of a statement that writes a file.
func writtenFile(title, path string, input *Plan) *Plan {
	return result(title, "to "+quote(path), input)
}

// graphInfoPlan is the plan of a graph that is not loaded yet.
func graphInfoPlan(info storage.GraphInfo) *Plan {
	return measuredStep("graph "+info.Name, "graph", fmt.Sprintf("%s, version %d, %s", name(info.Name), info.Version, count(info.Edges, "edge")))
}

func (o *generateOp) plan() *Plan {
	return result("new graph", name(o.req.Graph),
		measuredStep(stepStore, "store", "all edges, published in one transaction",
			measuredStep("generator", "generator", o.text)))
}
