package files

import "heavytail/query/rows"

// ExportRequest asks to write a graph, its vertices or an embedding to a file.
type ExportRequest struct {
	Name      string // of the graph or embedding
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace an existing file; otherwise an existing file is an error
	// Format is the form of the file. Empty means the one that the ending of Path names, before .gz or .zst: of a graph
	// "csv" for .csv, "graphml" for .graphml, "gexf" for .gexf, "json" (node-link) for .json, "gml" for .gml, "pajek" for .net and
	// "edges" for .txt, .edges, .edgelist and .el; of vertices "csv" for .csv and .txt; of an embedding "npy" for .npy,
	// "word2vec_binary" for .bin and "word2vec" for .txt, .vec, .w2v, .emb and .word2vec; of all of them "parquet" for
	// .parquet, "arrow" for .arrow and .feather, and "arrow_stream" for .arrows. "metis" is for .graph and .metis, and "neo4j", CSV with the headers of Neo4j, for no ending. A name
	// without an ending means "edges", "csv" or "word2vec"; any other ending is an error.
	Format string
	// Spreadsheet makes CSV safe to open in a spreadsheet: an apostrophe is
	// written before each key or text that the spreadsheet could take for a
	// formula. The apostrophe stays if the file is imported again.
	Spreadsheet bool
	// Times is the form of the times of edges: "iso" writes dates, for which times are
	// taken as Unix seconds, "unix" writes numbers, and empty means the form in which
	// they came into the graph. See storage.GraphInfo.
	Times string
}

// ExportResult is the answer of Export and ExportVertices of graphs.Service, and of Export and
// ExportWalks of vectors.Service.
type ExportResult struct {
	Path    string        `json:"file"`
	Keys    string        `json:"keys,omitempty"` // of the matrix or METIS file at Path, the file with the keys of its rows; otherwise empty
	Rows    int64         `json:"rows"`           // edges, vertices, walks or vectors written
	Notices []rows.Notice `json:"notices,omitempty"`
}
