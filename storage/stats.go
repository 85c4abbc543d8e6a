package storage

import (
	"time"

	"heavytail/storage/internal/block"
)

// Stats is the space that each part of a store takes.
type Stats struct {
	Path      string    `json:"path"`
	Attached  bool      `json:"attached"` // the file belongs to an application; pages are those of the store alone
	Bytes     int64     `json:"bytes"`    // size of the file
	PageSize  int       `json:"page_size"`
	Pages     int64     `json:"pages"`      // in use
	FreePages int64     `json:"free_pages"` // later writes use them again; Compact frees them
	Format    uint32    `json:"format"`
	MinReader uint32    `json:"min_reader"` // oldest format whose code can read the file
	Features  []string  `json:"features"`
	Epoch     uint64    `json:"epoch"` // commits since the file was made
	Created   time.Time `json:"created"`

	Graphs     []GraphStats     `json:"graphs"`      // by name
	Embeddings []EmbeddingStats `json:"embeddings"`  // by name
	Indexes    []IndexStats     `json:"indexes"`     // by embedding and metric
	Models     []ModelStats     `json:"models"`      // by name
	Predicted  []PredictedStats `json:"predicted"`   // by graph and scorer
	Jobs       []JobStats       `json:"jobs"`        // those that have a checkpoint, by number
	Unfinished []UnfinishedWork `json:"unfinished"`  // imports that stopped, and embeddings and streams that are being written
	TrashBytes int64            `json:"trash_bytes"` // of discarded objects that are still to be removed
	OtherBytes int64            `json:"other_bytes"` // catalogue, records of jobs, and journal
}

// GraphStats is the space that a graph takes: whole pages, or the bytes of a
// part so small that it shares a page.
type GraphStats struct {
	Name       string `json:"name"`
	Vertices   int    `json:"vertices"`
	Edges      int64  `json:"edges"`
	Keys       int64  `json:"keys"`       // bytes of the keys by vertex
	IDs        int64  `json:"ids"`        // bytes of the vertices by key
	Arcs       int64  `json:"arcs"`       // bytes of the edges, each stored in both directions
	Attributes int64  `json:"attributes"` // bytes of the values of attributes of vertices
	Changes    int64  `json:"changes"`    // bytes of records in the change log
	Other      int64  `json:"other"`      // bytes of the rest, such as the list of the parts

	EdgeAttributes int64 `json:"edge_attributes"` // bytes of the values of attributes of edges
}

// Bytes is the sum over all parts.
func (s GraphStats) Bytes() int64 {
	return s.Keys + s.IDs + s.Arcs + s.Attributes + s.EdgeAttributes + s.Changes + s.Other
}

// EmbeddingStats is the space that an embedding takes.
type EmbeddingStats struct {
	Name     string `json:"name"`
	Graph    string `json:"graph"`
	Vertices int    `json:"vertices"`
	Dim      int    `json:"dim"`
	Bytes    int64  `json:"bytes"`
	State    int64  `json:"state"` // of Bytes, for refreshing it
}

// IndexStats is the space that an index of an embedding takes.
type IndexStats struct {
	Embedding string `json:"embedding"`
	Metric    string `json:"metric"`
	Bytes     int64  `json:"bytes"`
}

// ModelStats is the space that a model takes.
type ModelStats struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// PredictedStats is the space that the predictions of a graph by a scorer take.
type PredictedStats struct {
	Scorer   string `json:"scorer"`
	Vertices int    `json:"vertices"`
	Bytes    int64  `json:"bytes"`
}

// JobStats is the space that the checkpoint of a job takes, in the file or beside it.
type JobStats struct {
	ID    uint64 `json:"id"`
	Bytes int64  `json:"bytes"`
}

// UnfinishedWork is an entry of the journal.
type UnfinishedWork struct {
	Kind    string    `json:"kind"`   // "import", "embedding" or "stream"
	Name    string    `json:"name"`   // of the graph or embedding; what the stream is, in words
	Source  string    `json:"source"` // of the import
	Started time.Time `json:"started"`
	Bytes   int64     `json:"bytes"` // that it has written so far
}

// sizes are the bytes of buckets: by object and part, or by name of a top
// bucket and "".
type sizes map[[2]string]int64

// add counts the bytes of the bucket at a path from the root of the file down.
func (s sizes) add(path [][]byte, bytes int64) {
	switch {
	case len(path) < 2:
		s[[2]string{}] += bytes
	case string(path[1]) != string(block.ObjectsName) || len(path) == 2:
		s[[2]string{string(path[1])}] += bytes
	case len(path) == 3:
		s[[2]string{string(path[2]), ""}] += bytes
	default:
		s[[2]string{string(path[2]), string(path[3])}] += bytes
	}
}

func (s sizes) part(object uint64, name []byte) int64 {
	return s[[2]string{string(block.Key64(object)), string(name)}]
}

func (s sizes) object(object uint64) int64 {
	sum := int64(0)
	for at, bytes := range s {
		if at[0] == string(block.Key64(object)) {
			sum += bytes
		}
	}
	return sum
}
