package query

import "fmt"

// This file has the plans of the statements that bring graphs in and out.

func (o *importOp) plan() *Plan {
	separator := o.req.Separator
	if separator == "" {
		separator = "auto"
	}
	bad := "end the import"
	if o.req.SkipBad {
		bad = "are skipped"
	}
	read := fmt.Sprintf("%s; header %s, separator %s, bad lines %s", quote(inputName(o.req.Path)), o.req.Header, quote(separator), bad)
	return result("import", "into graph "+name(o.req.Graph)+", published in one transaction",
		measuredStep(stepRead, "edge list", read))
}

func (o *exportGraphOp) plan() *Plan {
	return result("edge list", "to "+quote(o.req.Path),
		measuredStep("graph "+o.info.Name, "graph", fmt.Sprintf("%s, version %d, %s", name(o.info.Name), o.info.Version, count(o.info.Edges, "edge"))))
}

func (o *exportEmbeddingOp) plan() *Plan {
	return result("word2vec text", "to "+quote(o.req.Path),
		measuredStep("embedding "+o.info.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d", name(o.info.Name), o.info.Generation, o.info.Vertices, o.info.Dim)))
}

func (o *generateOp) plan() *Plan {
	return result("new graph", name(o.req.Graph),
		measuredStep(stepStore, "store", "all edges, published in one transaction",
			measuredStep("generator", "generator", o.text)))
}
