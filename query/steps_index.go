package query

import (
	"fmt"
	"strings"

	"heavytail/storage"
)

// This file has the steps of CREATE INDEX and DROP INDEX.

func (o *createIndexOp) plan() *Plan {
	vectors := measuredStep("embedding "+o.info.Name, "embedding", fmt.Sprintf("%s, generation %d, %d × %d",
		name(o.info.Name), o.info.Generation, o.info.Vertices, o.info.Dim))
	return result("index", fmt.Sprintf("of embedding %s by %s", name(o.info.Name), o.req.Metric),
		measuredStep(stepStore, "store", "links, without the vectors",
			measuredStep(stepSolve, "hnsw", "links between near vectors, and the recall of searches", vectors)))
}

func (o *dropIndexOp) plan() *Plan {
	return result("drop index", "all of embedding "+name(o.embedding))
}

// settingsText writes settings after another.
func settingsText(list []storage.Setting) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.Name + " " + s.Value
	}
	return strings.Join(texts, ", ")
}
