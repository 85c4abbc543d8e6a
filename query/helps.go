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
			Summary: "removes a graph, with CASCADE its embeddings and models too",
			Example: "DROP GRAPH social CASCADE",
		}, {
			Statement: "DROP ATTRIBUTE", Syntax: "DROP ATTRIBUTE attribute FROM graph",
			Summary: "takes an attribute from all vertices",
			Example: "DROP ATTRIBUTE age FROM social",
		}, {
			Statement: "DROP EMBEDDING", Syntax: "DROP EMBEDDING embedding",
			Summary: "removes an embedding",
			Example: "DROP EMBEDDING spec",
		},
	}
}

func updateHelps() []Help {
	return []Help{
		{
			Statement: "INSERT VERTEX", Syntax: "INSERT VERTEX | VERTICES vertex [(attribute := value, …)], … INTO graph",
			Summary: "adds vertices, or sets attributes of those that are there",
			Columns: "graph, inserted, updated, unchanged, version",
			Example: "INSERT VERTEX 'alice' (age := 41, city := 'Bern'), 'bob' INTO social",
		}, {
			Statement: "INSERT EDGE", Syntax: "INSERT EDGE | EDGES (vertex, vertex[, WEIGHT := weight][, TIME := time]), … INTO graph",
			Summary: "adds edges and their vertices, or sets weight and time of those that are there; a time is an integer or a date",
			Columns: "graph, inserted, updated, unchanged, vertices, version",
			Example: "INSERT EDGE ('alice', 'bob'), ('alice', 'carol', WEIGHT := 2.5, TIME := '2024-02-29') INTO social",
		}, {
			Statement: "UPDATE VERTEX", Syntax: "UPDATE VERTEX vertex, … SET attribute := value | MISSING, … IN graph",
			Summary: "sets attributes of vertices; MISSING takes them away",
			Columns: "graph, updated, unchanged, version",
			Example: "UPDATE VERTEX 'alice', 'bob' SET age := 42, city := MISSING IN social",
		}, {
			Statement: "UPDATE VERTICES", Syntax: "UPDATE VERTICES IN graph SET attribute := value | MISSING, … WHERE condition",
			Summary: "sets attributes of all vertices that meet a condition; WHERE degree >= 0 is all of them",
			Columns: "graph, updated, unchanged, version",
			Example: "UPDATE VERTICES IN social SET hub := TRUE WHERE degree >= 100",
		}, {
			Statement: "UPDATE EDGE", Syntax: "UPDATE EDGE | EDGES (vertex, vertex), … SET WEIGHT := weight | MISSING, TIME := time | MISSING IN graph",
			Summary: "sets weight, time or both of edges; MISSING makes them as if never given",
			Columns: "graph, updated, unchanged, version",
			Example: "UPDATE EDGE ('alice', 'bob') SET WEIGHT := 3, TIME := MISSING IN social",
		}, {
			Statement: "DELETE VERTEX", Syntax: "DELETE VERTEX vertex, … FROM graph",
			Summary: "deletes vertices with their edges; those that are not there are counted as missing",
			Columns: "graph, deleted, missing, edges_deleted, version",
			Example: "DELETE VERTEX 'alice', 'bob' FROM social",
		}, {
			Statement: "DELETE VERTICES", Syntax: "DELETE VERTICES FROM graph WHERE condition",
			Summary: "deletes all vertices that meet a condition, with their edges",
			Columns: "graph, deleted, missing, edges_deleted, version",
			Example: "DELETE VERTICES FROM social WHERE degree = 0",
		}, {
			Statement: "DELETE EDGE", Syntax: "DELETE EDGE | EDGES (vertex, vertex), … FROM graph",
			Summary: "deletes edges; their vertices stay",
			Columns: "graph, deleted, missing, version",
			Example: "DELETE EDGE ('alice', 'bob'), ('carol', 'dave') FROM social",
		}, {
			Statement: "DELETE EDGES FILE", Syntax: "DELETE EDGES FILE 'file' FROM graph [WITH (option := value, …)]",
			Summary: "deletes the edges of a file of pairs, plain, gzip or zstd",
			Columns: "graph, deleted, missing, version",
			Options: edgePairsOptions(),
			Example: "DELETE EDGES FILE 'gone.csv' FROM social",
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
			Example: "IMPORT 'messages.csv.gz' INTO social WITH (source := 'from', target := 'to', time := 3)",
		}, {
			Statement: "IMPORT VERTICES", Syntax: "IMPORT VERTICES 'file' INTO graph [WITH (option := value, …)]",
			Summary: "adds the vertices of a table, a line each, and sets their attributes from its columns",
			Columns: "graph, vertices, inserted, updated, skipped, seconds",
			Options: importVerticesOptions(),
			Example: "IMPORT VERTICES 'people.csv' INTO social WITH (key := 'name', columns := 'age, city')",
		}, {
			Statement: "EXPORT GRAPH", Syntax: "EXPORT GRAPH graph INTO FILE 'file' [WITH (option := value, …)]",
			Summary: "writes the edges of a graph with weights and times, as an edge list, CSV or, with vertices and attributes, GraphML; compressed if the name ends in .gz or .zst",
			Columns: "file, edges",
			Options: exportOptions(graphFormats),
			Example: "EXPORT GRAPH social INTO FILE 'social.graphml.gz'",
		}, {
			Statement: "EXPORT VERTICES", Syntax: "EXPORT VERTICES OF graph INTO FILE 'file' [WITH (option := value, …)]",
			Summary: "writes the vertices of a graph with their attributes as CSV, compressed if the name ends in .gz or .zst",
			Columns: "file, vertices",
			Options: exportOptions(vertexFormats),
			Example: "EXPORT VERTICES OF social INTO FILE 'people.csv'",
		}, {
			Statement: "EXPORT WALKS", Syntax: "EXPORT WALKS OF graph USING method[(option := value, …)] INTO FILE 'file' [WITH (option := value, …)]",
			Summary: "writes the walks that a method learns from for other trainers, a line each, keys separated by blanks; compressed if the name ends in .gz or .zst",
			Columns: "file, walks",
			Options: exportWalksOptions(),
			Example: "EXPORT WALKS OF social USING dp_walker(beta := 1.5) INTO FILE 'walks.txt.gz'",
		}, {
			Statement: "EXPORT EMBEDDING", Syntax: "EXPORT EMBEDDING embedding INTO FILE 'file' [WITH (option := value, …)]",
			Summary: "writes an embedding in a format of word2vec, or as a numpy matrix with the keys of its rows in 'file.keys'",
			Columns: "file, vectors",
			Options: exportOptions(embeddingFormats),
			Example: "EXPORT EMBEDDING spec INTO FILE 'spec.npy' WITH (overwrite := TRUE)",
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
			Statement: "DESCRIBE VERTEX", Syntax: "DESCRIBE VERTEX vertex [IN graph]",
			Summary: "tells degree, times and attributes of a vertex, without loading its graph",
			Columns: "property, value",
			Example: "DESCRIBE VERTEX 'alice' IN social",
		}, {
			Statement: "DESCRIBE EMBEDDING", Syntax: "DESCRIBE EMBEDDING embedding",
			Summary: "tells everything that shaped an embedding, and how old it is",
			Columns: "property, value",
			Example: "DESCRIBE EMBEDDING spec",
		}, {
			Statement: "DESCRIBE MODEL", Syntax: "DESCRIBE MODEL model",
			Summary: "tells everything that shaped a model of links, how good it was on pairs held out, how far its probabilities can be trusted, and whether its graph and embedding have moved on since",
			Columns: "property, value",
			Example: "DESCRIBE MODEL friends",
		}, {
			Statement: "SHOW", Syntax: "SHOW GRAPHS | EMBEDDINGS | INDEXES | MODELS | PREDICTIONS | METHODS | SCORERS | GENERATORS | STATS | JOBS",
			Summary: "lists what the file has, or what the language knows",
			Columns: "GRAPHS: graph, version, vertices, edges, source, modified; " +
				"EMBEDDINGS: embedding, graph, method, dim, vertices, generation, behind, changed, auto, created; " +
				"INDEXES: embedding, metric, vectors, m, ef_construction, ef, recall, bytes, seconds, created; " +
				"MODELS: model, graph, embedding, terms, auc, average_precision, calibration_error, best_single, best_single_auc, behind, created; " +
				"PREDICTIONS: graph, scorer, top, vertices, links, version, behind, created; " +
				"METHODS: method, options, summary; SCORERS: scorer, reads, likelier, summary; " +
				"GENERATORS: generator, options, summary; STATS: object, part, bytes, items, bytes_each; " +
				"JOBS: job, state, statement, stage, progress, seconds, remaining, memory, peak, checkpoint, error, result",
			Example: "SHOW EMBEDDINGS",
		}, {
			Statement: "SHOW VERTICES", Syntax: "SHOW VERTICES [IN graph] [WHERE condition] [LIMIT n]",
			Summary: "lists vertices in the order in which they came into the graph; LIMIT takes the first",
			Columns: "vertex, degree, and one column for each attribute",
			Example: "SHOW VERTICES IN social WHERE age >= 40 AND city IN ('Bern', 'Basel') LIMIT 20",
		}, {
			Statement: "SHOW NEIGHBORS", Syntax: "SHOW NEIGHBORS OF vertex [IN graph] [WHERE condition] [LIMIT n]",
			Summary: "lists the neighbours of a vertex, with what the edges to them have, in the order in which they came into the graph; LIMIT takes the first",
			Columns: "vertex, degree, weight and time where the graph has any, and one column for each attribute",
			Example: "SHOW NEIGHBORS OF 'alice' IN social WHERE degree > 10",
		}, {
			Statement: "SHOW ATTRIBUTES", Syntax: "SHOW ATTRIBUTES [IN graph]",
			Summary: "lists the attributes of the vertices, and how many have a value",
			Columns: "attribute, type, vertices, missing",
			Example: "SHOW ATTRIBUTES IN social",
		},
	}
}

func analysisHelps() []Help {
	return []Help{
		{
			Statement: "EMBED", Syntax: "EMBED graph USING method[(option := value, …)] AS embedding [WITH (option := value)] [IN BACKGROUND]",
			Summary: "computes a vector for every vertex; an embedding of that name is replaced when it is done. What takes more than two seconds is a job that can go on after it was stopped",
			Columns: "embedding, method, dim, vertices, seconds, residual; in the background those of SHOW JOBS",
			Options: embedOptions(),
			Example: "EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec",
		}, {
			Statement: "ESTIMATE EMBED", Syntax: "ESTIMATE EMBED graph USING method[(option := value, …)]",
			Summary: "tells the memory and, from a short measurement, the time that EMBED would take on this machine",
			Columns: "graph, method, dim, bytes, limit, seconds",
			Example: "ESTIMATE EMBED social USING dp_walker(dim := 128)",
		}, {
			Statement: "CREATE INDEX", Syntax: "CREATE INDEX ON embedding [WITH (option := value, …)] [IN BACKGROUND]",
			Summary: "builds an index (HNSW) of the vectors, which NEAREST and WITHIN use where these are many; recall is the share of the 10 nearest that it finds, measured on 100 of the vectors. REFRESH brings it up to date with the embedding, computing the embedding again removes it",
			Columns: "embedding, metric, vectors, m, ef_construction, ef, recall, bytes, seconds, created; in the background those of SHOW JOBS",
			Options: indexOptions(),
			Example: "CREATE INDEX ON spec WITH (metric := 'cosine', ef := 100)",
		}, {
			Statement: "DROP INDEX", Syntax: "DROP INDEX ON embedding",
			Summary: "removes all indexes of an embedding",
			Example: "DROP INDEX ON spec",
		}, {
			Statement: "REFRESH", Syntax: "REFRESH embedding [WITH (option := value)] [IN BACKGROUND]",
			Summary: "brings an embedding up to date with its graph, from what has changed if it can and otherwise in full, as its next generation; kind is none, incremental or full, drift is how far vertices moved relative to their norms",
			Columns: "embedding, kind, generation, versions, touched, residual, mean_drift, max_drift, seconds, reason; in the background those of SHOW JOBS",
			Options: refreshOptions(),
			Example: "REFRESH spec",
		}, {
			Statement: "ALTER EMBEDDING", Syntax: "ALTER EMBEDDING embedding AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF",
			Summary: "has an embedding refreshed in the background while a program keeps the file open for writing: once n vertices are new, gone or have other edges, or so often if any has; the setting stays with the embedding",
			Columns: "embedding, refresh",
			Example: "ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES",
		}, {
			Statement: "VERIFY", Syntax: "VERIFY embedding [WITH (option := value, …)] [IN BACKGROUND]",
			Summary: "computes an embedding in full, stores nothing, and compares: nearest neighbours, angles in degrees between the spaces of a spectral one, reconstruction, and how well distances tell edges from other pairs",
			Columns: "measure, stored, full; in the background those of SHOW JOBS, whose result has them",
			Options: verifyOptions(),
			Example: "VERIFY spec WITH (sample := 200)",
		}, {
			Statement: "SHOW GENERATIONS", Syntax: "SHOW GENERATIONS OF embedding",
			Summary: "lists the generations of an embedding that are kept: the present one and the one before, which name@generation names in every statement that reads embeddings",
			Columns: "embedding, generation, version, behind, vertices, made, created",
			Example: "SHOW GENERATIONS OF spec",
		}, {
			Statement: "DIFF", Syntax: "DIFF embedding, embedding [LIMIT n]",
			Summary: "tells which vertices moved most between two generations of an embedding; ten by default",
			Columns: "vertex, distance, relative",
			Example: "DIFF spec@1, spec@2 LIMIT 20",
		}, {
			Statement: "NEAREST", Syntax: "NEAREST k TO vertex | (vertex, …) | [vector] USING embedding | metric(embedding) [FRESH] [EXACT] [WHERE condition]",
			Summary: "finds the k nearest vertices, nearest first; metrics are l2, cosine and dot; to several vertices means to the middle of their vectors, under cosine of their directions, and none of them is an answer; FRESH brings the embedding up to date first, as REFRESH does; EXACT does without an index, which may miss some",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3",
		}, {
			Statement: "WITHIN", Syntax: "WITHIN RADIUS r | EPSILON e OF vertex | [vector] USING embedding | metric(embedding) [EXACT] [WHERE condition] [LIMIT n]",
			Summary: "finds all vertices within a distance, or of at least an edge probability 1/(1+e^distance), nearest first; LIMIT takes the nearest",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "WITHIN EPSILON 0.45 OF 'alice' USING spec LIMIT 20",
		}, {
			Statement: "RECONSTRUCT", Syntax: "RECONSTRUCT embedding EPSILON e | RADIUS r | AUTO [INTO GRAPH graph | INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "joins all vertices that are near to each other, and compares that graph with the original",
			Columns: "epsilon, radius, edges, pearson, spearman, kendall, precision, recall",
			Options: reconstructOptions(),
			Example: "RECONSTRUCT spec AUTO INTO GRAPH again WITH (criterion := 'spearman')",
		}, {
			Statement: "EVALUATE RECONSTRUCTION", Syntax: "EVALUATE RECONSTRUCTION OF embedding [WITH (option := value, …)]",
			Summary: "measures how well an embedding gives back the degrees and edges of its graph, at the best of many distances",
			Columns: "epsilon, radius, edges, pearson, spearman, kendall, alpha, xmin, ks, precision, recall",
			Options: sweepOptions("it"),
			Example: "EVALUATE RECONSTRUCTION OF spec WITH (grid := 'paper', criterion := 'f1')",
		}, {
			Statement: "EVALUATE PARAMETERS", Syntax: "EVALUATE PARAMETERS IN graph USING method[(option := value, …)] [WITH (option := value, …)]",
			Summary: "embeds a graph with one option of a method after the other at several values, and measures the best reconstruction of each; without values it takes the usual ones of all options; stores nothing",
			Columns: "option, value, epsilon, radius, edges, pearson, spearman, kendall, alpha, xmin, ks, precision, recall",
			Options: parametersOptions(),
			Example: "EVALUATE PARAMETERS IN social USING dp_spectral(normalization := 'degree') WITH (beta := '0,0.25,0.5,1', dim := '50,100,200')",
		}, {
			Statement: "EVALUATE LABELS", Syntax: "EVALUATE LABELS 'attribute' OF embedding [WITH (option := value, …)]",
			Summary: "measures how well the values of an attribute can be told from the vectors, by classifiers trained on a part of the vertices; stores nothing",
			Columns: "fraction, train, test, micro_f1, micro_f1_deviation, macro_f1, macro_f1_deviation, accuracy, accuracy_deviation; with classes: fraction, class, test, accuracy, accuracy_deviation, precision, f1, f1_deviation",
			Options: labelsOptions(),
			Example: "EVALUATE LABELS 'groups' OF spec WITH (fractions := '0.1,0.5', separator := ',')",
		}, {
			Statement: "EVALUATE LINKS", Syntax: "EVALUATE LINKS IN graph USING method[(option := value, …)], … [WITH (option := value, …)]",
			Summary: "holds out edges, embeds the rest by each method, and compares how well scorers and learned models tell those edges from pairs that are none; stores nothing",
			Columns: "method, scorer, auc, average_precision, precision, recall, f1, hits",
			Options: linksOptions(),
			Example: "EVALUATE LINKS IN social USING dp_spectral(beta := 0.25), dp_walker WITH (share := 0.1, features := 'difference, l1')",
		}, {
			Statement: "TUNE", Syntax: "TUNE graph [USING method[(option := value, …)], …] FOR RECONSTRUCTION | LINKS | LABELS AS embedding [WITH (option := value, …)] [IN BACKGROUND]",
			Summary: "searches the parameters of methods that are not given, for a purpose on this graph, and stores the best embedding; lists all trials, the best first. Without USING it searches dp_spectral and dp_walker",
			Columns: "trial, method, options, stage, score, the measures of the goal, seconds; in the background those of SHOW JOBS",
			Options: tuneOptions(),
			Example: "TUNE social USING dp_spectral(dim := 64), dp_walker FOR RECONSTRUCTION AS best WITH (budget := '10m')",
		}, {
			Statement: "TRAIN MODEL", Syntax: "TRAIN MODEL model IN graph [USING embedding | heuristics(scorer, …), …] [WITH (option := value, …)] [IN BACKGROUND]",
			Summary: "learns from edges held out how likely a link is, by heuristics of the graph and features of an embedding together, measures that on other edges held out, and stores it for model(…) in SCORE; without heuristics(…) it takes all of the graph, without an embedding these alone",
			Columns: "model, terms, auc, average_precision, brier, calibration_error, best_single, best_single_auc, seconds; in the background those of SHOW JOBS",
			Options: trainOptions(),
			Example: "TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, resource_allocation) WITH (features := 'hadamard+l1', seed := 1)",
		}, {
			Statement: "MATERIALIZE PREDICTIONS", Syntax: "MATERIALIZE PREDICTIONS FROM scorer | scorer(embedding) | model(model) IN graph [WITH (option := value, …)] [IN BACKGROUND]",
			Summary: "stores the likeliest links of every vertex, so that PREDICT without WITH answers from the file in a fraction of a millisecond; again, it computes only what changes of the graph have reached, where the scorer reads no vectors",
			Columns: "graph, scorer, top, vertices, links, computed, seconds; in the background those of SHOW JOBS",
			Options: materializeOptions(),
			Example: "MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50)",
		}, {
			Statement: "DROP PREDICTIONS", Syntax: "DROP PREDICTIONS FROM scorer | scorer(embedding) | model(model) IN graph",
			Summary: "removes the predictions that were stored by a scorer",
			Example: "DROP PREDICTIONS FROM model(friends) IN social",
		}, {
			Statement: "DROP MODEL", Syntax: "DROP MODEL model",
			Summary: "removes a model",
			Example: "DROP MODEL friends",
		}, {
			Statement: "SCORE", Syntax: "SCORE (vertex, vertex), … [IN graph] WITH scorer | scorer(embedding) | model(model), …",
			Summary: "scores how likely a link is; SHOW SCORERS lists the scorers",
			Columns: "source, target, and one column for each scorer",
			Example: "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)",
		}, {
			Statement: "SCORE FILE", Syntax: "SCORE FILE 'pairs' [IN graph] WITH scorer | scorer(embedding) | model(model), … [INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "scores the pairs of a file of any length, in order",
			Columns: "source, target, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
			Options: scoreFileOptions(),
			Example: "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'",
		}, {
			Statement: "PREDICT", Syntax: "PREDICT n LINKS [FOR vertex] [IN graph] WITH scorer | scorer(embedding) | model(model) [WHERE condition] [WITH (option := value)] | PREDICT n LINKS FOR vertex [IN graph] [FROM scorer]",
			Summary: "finds the n likeliest links that the graph does not have, of one vertex or between any two, the likeliest first: of vertices that are two edges apart and, by scorers of vectors, of the nearest of each vertex; by preferential_attachment of all. WHERE is asked about the other vertex, or about both. Without WITH it answers what MATERIALIZE PREDICTIONS has stored, FROM a scorer where there are several",
			Columns: "with FOR: vertex, score; without: source, target, score",
			Options: predictOptions(),
			Example: "PREDICT 20 LINKS FOR 'alice' IN social WITH resource_allocation WHERE degree >= 3",
		},
	}
}

func upkeepHelps() []Help {
	return []Help{
		{
			Statement: "CANCEL JOB", Syntax: "CANCEL JOB job",
			Summary: "ends a job, with a checkpoint from which RESUME JOB goes on",
			Columns: "those of SHOW JOBS",
			Example: "CANCEL JOB 3",
		}, {
			Statement: "RESUME JOB", Syntax: "RESUME JOB job [IN BACKGROUND]",
			Summary: "runs a job that was cancelled, interrupted or failed again from its checkpoint, with the same result as if it had never stopped",
			Columns: "those of its statement; in the background those of SHOW JOBS",
			Example: "RESUME JOB 3 IN BACKGROUND",
		}, {
			Statement: "WAIT JOB", Syntax: "WAIT JOB job",
			Summary: "waits for a job to end, and tells its progress",
			Columns: "those of SHOW JOBS",
			Example: "WAIT JOB 3",
		}, {
			Statement: "DROP JOB", Syntax: "DROP JOB job",
			Summary: "forgets a job that has ended, with its checkpoint",
			Example: "DROP JOB 3",
		}, {
			Statement: "CHECK", Syntax: "CHECK",
			Summary: "verifies everything in the file; no rows mean that it is sound",
			Columns: "where, fault, remedy",
			Example: "CHECK",
		}, {
			Statement: "COMPACT", Syntax: "COMPACT",
			Summary: "gives the space of what was deleted back, through a copy that takes the place of the file",
			Columns: "before, after, seconds",
			Example: "COMPACT",
		}, {
			Statement: "BACKUP", Syntax: "BACKUP INTO FILE 'file' [WITH (option := value)]",
			Summary: "copies everything as it is now into a new file, and verifies every record on the way",
			Columns: "file, bytes, records, seconds",
			Options: storeOptions(),
			Example: "BACKUP INTO FILE 'monday.ht' WITH (overwrite := TRUE)",
		}, {
			Statement: "MIGRATE", Syntax: "MIGRATE",
			Summary: "rewrites a file of an older format in the present one; older formats can be used without",
			Columns: "from, to, before, after, seconds",
			Example: "MIGRATE",
		}, {
			Statement: "RECOVER", Syntax: "RECOVER INTO FILE 'file' [WITH (option := value)]",
			Summary: "copies what is sound of a damaged file, open for reading, into a new one; 'heavytail recover' takes files that cannot be opened",
			Columns: "object, vertices, edges, state",
			Options: storeOptions(),
			Example: "RECOVER INTO FILE 'saved.ht'",
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
			Statement: "EXPLAIN SCORE", Syntax: "EXPLAIN SCORE (vertex, vertex) [IN graph] [WITH scorer | scorer(embedding) | model(model), …]",
			Summary: "tells what the scores of one pair are made of: its common neighbours, those of fewest edges with their degrees first, and of a model what each heuristic and feature adds to the log-odds; without WITH by all heuristics. EXPLAIN of SCORE with several pairs shows the plan",
			Columns: "item, value, part",
			Example: "EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends)",
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
