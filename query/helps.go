package query

// This file says what every statement does, by group, as Helps lists them.

func graphHelps() []Help {
	return []Help{
		{
			Statement: "CREATE GRAPH", Syntax: "CREATE GRAPH graph",
			Summary: "makes an empty graph; IMPORT and GENERATE make theirs themselves",
			Example: "CREATE GRAPH social",
		}, {
			Statement: "DROP GRAPH", Syntax: "DROP GRAPH graph [CASCADE]",
			Summary: "removes a graph, with CASCADE its embeddings too",
			Example: "DROP GRAPH social CASCADE",
		}, {
			Statement: "DROP EMBEDDING", Syntax: "DROP EMBEDDING embedding",
			Summary: "removes an embedding",
			Example: "DROP EMBEDDING spec",
		},
	}
}

func fileHelps() []Help {
	return []Help{
		{
			Statement: "IMPORT", Syntax: "IMPORT 'file' INTO graph [WITH (option := value, …)]",
			Summary: "adds the edges of a text file, plain, gzip or zstd, to a graph; '-' is standard input",
			Columns: "graph, vertices, edges, duplicates, self_loops, skipped, seconds",
			Options: importOptions(),
			Example: "IMPORT 'facebook_combined.txt.gz' INTO social WITH (on_error := 'skip')",
		}, {
			Statement: "EXPORT GRAPH", Syntax: "EXPORT GRAPH graph INTO FILE 'file' [WITH (option := value)]",
			Summary: "writes a graph as an edge list, compressed if the name ends in .gz or .zst",
			Columns: "file, edges",
			Options: []OptionInfo{overwriteOption()},
			Example: "EXPORT GRAPH social INTO FILE 'social.edges.gz'",
		}, {
			Statement: "EXPORT EMBEDDING", Syntax: "EXPORT EMBEDDING embedding INTO FILE 'file' [WITH (option := value)]",
			Summary: "writes an embedding in the text format of word2vec",
			Columns: "file, vectors",
			Options: []OptionInfo{overwriteOption()},
			Example: "EXPORT EMBEDDING spec INTO FILE 'spec.txt' WITH (overwrite := TRUE)",
		}, {
			Statement: "GENERATE", Syntax: "GENERATE generator(option := value, …) INTO graph",
			Summary: "makes a random graph; SHOW GENERATORS lists the models",
			Columns: "graph, vertices, edges, seconds",
			Example: "GENERATE preferential_attachment(n := 10000, m := 40, seed := 7) INTO synthetic",
		},
	}
}

func showHelps() []Help {
	return []Help{
		{
			Statement: "DESCRIBE GRAPH", Syntax: "DESCRIBE GRAPH graph [WITH (option := value, …)]",
			Summary: "tells size, components, degrees, clustering, the power law, and the dimensions that the largest hub asks for",
			Columns: "property, value",
			Options: describeOptions(),
			Example: "DESCRIBE GRAPH social WITH (bootstrap := 100)",
		}, {
			Statement: "DESCRIBE EMBEDDING", Syntax: "DESCRIBE EMBEDDING embedding",
			Summary: "tells everything that shaped an embedding, and how old it is",
			Columns: "property, value",
			Example: "DESCRIBE EMBEDDING spec",
		}, {
			Statement: "SHOW", Syntax: "SHOW GRAPHS | EMBEDDINGS | METHODS | SCORERS | GENERATORS",
			Summary: "lists what the file has, or what the language knows",
			Columns: "GRAPHS: graph, version, vertices, edges, source, modified; " +
				"EMBEDDINGS: embedding, graph, method, dim, vertices, generation, behind, created; " +
				"METHODS: method, options, summary; SCORERS: scorer, reads, likelier, summary; " +
				"GENERATORS: generator, options, summary",
			Example: "SHOW EMBEDDINGS",
		},
	}
}

func analysisHelps() []Help {
	return []Help{
		{
			Statement: "EMBED", Syntax: "EMBED graph USING method[(option := value, …)] AS embedding",
			Summary: "computes a vector for every vertex; an embedding of that name is replaced when it is done",
			Columns: "embedding, method, dim, vertices, seconds, residual",
			Example: "EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec",
		}, {
			Statement: "NEAREST", Syntax: "NEAREST k TO vertex | [vector] USING embedding | metric(embedding) [WHERE condition]",
			Summary: "finds the k nearest vertices; metrics are l2, cosine and dot",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3",
		}, {
			Statement: "WITHIN", Syntax: "WITHIN RADIUS r | EPSILON e OF vertex | [vector] USING embedding | metric(embedding) [WHERE condition] [LIMIT n]",
			Summary: "finds all vertices within a distance, or of at least an edge probability 1/(1+e^distance)",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "WITHIN EPSILON 0.45 OF 'alice' USING spec LIMIT 20",
		}, {
			Statement: "RECONSTRUCT", Syntax: "RECONSTRUCT embedding EPSILON e | RADIUS r | AUTO [INTO GRAPH graph | INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "joins all vertices that are near to each other, and compares that graph with the original",
			Columns: "epsilon, radius, edges, pearson, spearman, kendall, precision, recall",
			Options: reconstructOptions(),
			Example: "RECONSTRUCT spec AUTO INTO GRAPH again WITH (criterion := 'spearman')",
		}, {
			Statement: "SCORE", Syntax: "SCORE (vertex, vertex), … [IN graph] WITH scorer | scorer(embedding), …",
			Summary: "scores how likely a link is; SHOW SCORERS lists the scorers",
			Columns: "source, target, and one column for each scorer",
			Example: "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)",
		}, {
			Statement: "SCORE FILE", Syntax: "SCORE FILE 'pairs' [IN graph] WITH scorer | scorer(embedding), … [INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "scores the pairs of a file of any length, in order",
			Columns: "source, target, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
			Options: scoreFileOptions(),
			Example: "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'",
		},
	}
}

func upkeepHelps() []Help {
	return []Help{
		{
			Statement: "CHECK", Syntax: "CHECK",
			Summary: "verifies everything in the file; no rows mean that it is sound",
			Columns: "where, fault, remedy",
			Example: "CHECK",
		},
	}
}

func languageHelps() []Help {
	return []Help{
		{
			Statement: "EXPLAIN", Syntax: "EXPLAIN statement",
			Summary: "shows how a statement would be answered, without running it",
			Columns: "step, detail",
			Example: "EXPLAIN NEAREST 10 TO 'alice' USING spec",
		}, {
			Statement: "PROFILE", Syntax: "PROFILE statement",
			Summary: "runs a statement and shows what each step took",
			Columns: "step, detail, rows, seconds",
			Example: "PROFILE WITHIN RADIUS 0.35 OF 'alice' USING spec",
		}, {
			Statement: "HELP", Syntax: "HELP [statement | method | scorer | generator | WHERE]",
			Summary: "lists the statements, or explains one",
			Columns: "statement, syntax, summary; with a topic: item, text",
			Example: "HELP NEAREST",
		},
	}
}
