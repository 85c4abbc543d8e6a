package parser

// statements are the rules of all statements, except EXPLAIN and PROFILE. Messages list the
// words in this order, in which the rules with the same word lie together. Of rules with the
// same words the first that reads the whole text is taken.
var statements = []rule{
	asks("CREATE INDEX", "CREATE INDEX ON spec WITH (metric := 'cosine', ef := 100)", func(s *CreateIndex) form {
		return form{one("ON", embedding, &s.Embedding), options(&s.Options), background(&s.Background)}
	}),
	does("CREATE GRAPH", "CREATE GRAPH adults AS SUBGRAPH OF social WHERE age >= 18 AND weight > 1; CREATE GRAPH near AS NEAREST 10 USING cosine(spec) MUTUAL; CREATE GRAPH friends AS EGO OF social FROM 'alice' WITHIN 2; CREATE GRAPH skeleton AS SPANNING FOREST OF social", func(s *DeriveGraph) form {
		of := func(least, most int) list[Ident] { return list[Ident]{"OF", graph, &s.Of, least, most} }
		return form{one("", newGraph, &s.Graph), word("AS"), either{
			{choose(&s.How, Subgraph), of(1, 1), one("WHERE", edgeCondition, &s.Where)},
			{choose(&s.How, Component), of(1, 1), may("FROM", key, &s.From)},
			{choose(&s.How, Ego), of(1, 1), one("FROM", key, &s.From), may("WITHIN", count, &s.Within)},
			{choose(&s.How, Sample), of(1, 1), options(&s.Options)},
			{choose(&s.How, NullModel), of(1, 1), options(&s.Options)},
			{choose(&s.How, Forest), word("FOREST"), of(1, 1)},
			{choose(&s.How, Union), of(2, 0), options(&s.Options)},
			{choose(&s.How, Undirected), of(1, 1)},
			{choose(&s.How, Reversed), of(1, 1)},
			{choose(&s.How, NearestGraph), one("", count, &s.Count), oneAt("USING", space, &s.Using), toggle{"MUTUAL", &s.Mutual}},
		}}
	}),
	does("CREATE GRAPH", "CREATE GRAPH social", func(s *CreateGraph) form {
		return form{is[bool]{&s.Directed, false}, one("", newGraph, &s.Graph)}
	}),
	does("CREATE DIRECTED GRAPH", "CREATE DIRECTED GRAPH follows", func(s *CreateGraph) form {
		return form{is[bool]{&s.Directed, true}, one("", newGraph, &s.Graph)}
	}),
	does("DROP GRAPH", "DROP GRAPH social CASCADE", func(s *DropGraph) form { return form{one("", graph, &s.Graph), toggle{"CASCADE", &s.Cascade}} }),
	does("DROP ATTRIBUTE", "DROP ATTRIBUTE age FROM social", func(s *DropAttribute) form {
		return form{is[bool]{&s.OfEdges, false}, one("", attribute, &s.Attribute), one("FROM", graph, &s.Graph)}
	}),
	does("DROP EDGE ATTRIBUTE", "DROP EDGE ATTRIBUTE kind FROM social", func(s *DropAttribute) form {
		return form{is[bool]{&s.OfEdges, true}, one("", attribute, &s.Attribute), one("FROM", graph, &s.Graph)}
	}),
	does("DROP INDEX", "DROP INDEX ON spec", func(s *DropIndex) form { return form{one("ON", embedding, &s.Embedding)} }),
	does("DROP JOB", "DROP JOB 3", func(s *Job) form { return form{is[JobVerb]{&s.Verb, DropJob}, one("", job, &s.Number)} }),
	does("DROP MODEL", "DROP MODEL friends", func(s *DropModel) form { return form{one("", model, &s.Model)} }),
	does("DROP PREDICTIONS", "DROP PREDICTIONS FROM model(friends) IN social", func(s *DropPredictions) form {
		return form{one("FROM", scorer, &s.Scorer), one("IN", graph, &s.Graph)}
	}),
	does("DROP EMBEDDING", "DROP EMBEDDING spec", func(s *DropEmbedding) form { return form{one("", embedding, &s.Embedding)} }),
	does("INSERT VERTEX", "INSERT VERTEX 'alice' (age := 41, city := 'Bern'), 'bob' INTO social", func(s *InsertVertices) form {
		return form{some("", newVertex, &s.Vertices), one("INTO", graph, &s.Graph)}
	}),
	does("INSERT EDGE", "INSERT EDGE ('alice', 'bob'), ('alice', 'carol', WEIGHT := 2.5, TIME := '2024-02-29', kind := 'mail') INTO social", func(s *InsertEdges) form {
		return form{some("", newEdge, &s.Edges), one("INTO", graph, &s.Graph)}
	}),
	does("UPDATE VERTICES", "UPDATE VERTICES IN social SET hub := TRUE WHERE degree >= 100", func(s *UpdateVertices) form {
		return form{one("IN", graph, &s.Graph), some("SET", assignment, &s.Values), one("WHERE", condition, &s.Where)}
	}),
	does("UPDATE VERTEX", "UPDATE VERTEX 'alice', 'bob' SET age := 42, city := MISSING IN social", func(s *UpdateVertices) form {
		return form{some("", key, &s.Keys), some("SET", assignment, &s.Values), one("IN", graph, &s.Graph)}
	}),
	does("UPDATE EDGE", "UPDATE EDGE ('alice', 'bob') SET WEIGHT := 3, TIME := MISSING, kind := 'call' IN social", func(s *UpdateEdges) form {
		return form{some("", pair, &s.Pairs), one("SET", edgeValues, &s.Values), one("IN", graph, &s.Graph)}
	}),
	does("DELETE VERTICES", "DELETE VERTICES FROM social WHERE degree = 0", func(s *DeleteVertices) form {
		return form{one("FROM", graph, &s.Graph), one("WHERE", condition, &s.Where)}
	}),
	does("DELETE VERTEX", "DELETE VERTEX 'alice', 'bob' FROM social", func(s *DeleteVertices) form {
		return form{some("", key, &s.Keys), one("FROM", graph, &s.Graph)}
	}),
	does("DELETE EDGES FILE", "DELETE EDGES FILE 'gone.csv' FROM social", func(s *DeleteEdgesFile) form {
		return form{one("", fileName, &s.File), one("FROM", graph, &s.Graph), options(&s.Options)}
	}),
	does("DELETE EDGES", "DELETE EDGES FROM social WHERE weight < 2 OR EITHER (degree > 1000)", func(s *DeleteEdges) form {
		return form{one("FROM", graph, &s.Graph), one("WHERE", edgeCondition, &s.Where)}
	}),
	does("DELETE EDGE", "DELETE EDGE ('alice', 'bob'), ('carol', 'dave') FROM social", func(s *DeleteEdges) form {
		return form{some("", pair, &s.Pairs), one("FROM", graph, &s.Graph)}
	}),
	does("IMPORT VERTICES", "IMPORT VERTICES 'people.csv' INTO social WITH (key := 'name', columns := 'age, city')", func(s *ImportVertices) form {
		return form{one("", fileName, &s.File), one("INTO", graph, &s.Graph), options(&s.Options)}
	}),
	does("IMPORT EMBEDDING", "IMPORT EMBEDDING 'theirs.npy' INTO social AS theirs WITH (keys := 'nodes.txt', no_vector := 'zero')", func(s *ImportEmbedding) form {
		return form{one("", fileName, &s.File), one("INTO", graph, &s.Graph), one("AS", newEmbedding, &s.Embedding), options(&s.Options)}
	}),
	does("IMPORT", "IMPORT 'messages.csv.gz' INTO social WITH (source := 'from', target := 'to', time := 3)", func(s *Import) form {
		return form{one("", fileName, &s.File), one("INTO", graph, &s.Graph), options(&s.Options)}
	}),
	does("EXPORT GRAPH", "EXPORT GRAPH social INTO FILE 'social.graphml.gz'", func(s *ExportGraph) form {
		return form{one("", graph, &s.Graph), one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("EXPORT VERTICES", "EXPORT VERTICES OF social INTO FILE 'people.csv'", func(s *ExportVertices) form {
		return form{one("OF", graph, &s.Graph), one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("EXPORT WALKS", "EXPORT WALKS OF social USING dp_walker(beta := 1.5) INTO FILE 'walks.txt.gz'", func(s *ExportWalks) form {
		return form{one("OF", graph, &s.Graph), one("USING", walkMethod, &s.Method), one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("EXPORT EMBEDDING", "EXPORT EMBEDDING spec INTO FILE 'spec.npy' WITH (overwrite := TRUE)", func(s *ExportEmbedding) form {
		return form{one("", embedding, &s.Embedding), one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("EXPORT PAIRS", "EXPORT PAIRS OF social USING dp_spectral INTO FILE 'pairs.parquet' WITH (negatives := 'degree')", func(s *ExportPairs) form {
		return form{one("OF", graph, &s.Graph), maySome("USING", method, &s.Methods), one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("GENERATE", "GENERATE preferential_attachment(n := 10000, m := 40, seed := 7) INTO synthetic", func(s *Generate) form {
		return form{one("", generator, &s.Generator), one("INTO", newGraph, &s.Graph)}
	}),
	asks("DESCRIBE GRAPH", "DESCRIBE GRAPH social WITH (bootstrap := 100); DESCRIBE GRAPH social ALL", func(s *DescribeGraph) form {
		return form{one("", graph, &s.Graph), toggle{"ALL", &s.All}, options(&s.Options)}
	}),
	asks("DESCRIBE VERTEX", "DESCRIBE VERTEX 'alice' IN social", func(s *DescribeVertex) form {
		return form{one("", key, &s.Vertex), mayAt("IN", graph, &s.Graph)}
	}),
	asks("DESCRIBE MODEL", "DESCRIBE MODEL friends; DESCRIBE MODEL friends ALL", func(s *DescribeModel) form {
		return form{one("", model, &s.Model), toggle{"ALL", &s.All}}
	}),
	asks("DESCRIBE EMBEDDING", "DESCRIBE EMBEDDING spec; DESCRIBE EMBEDDING spec ALL", func(s *DescribeEmbedding) form {
		return form{one("", embedding, &s.Embedding), toggle{"ALL", &s.All}}
	}),
	asks("SHOW", "SHOW EMBEDDINGS", func(s *Show) form { return form{oneOf(&s.What, listings)} }),
	asks("SHOW GENERATIONS", "SHOW GENERATIONS OF spec", func(s *ShowGenerations) form { return form{one("OF", embedding, &s.Embedding)} }),
	asks("SHOW VECTOR", "SHOW VECTOR OF 'alice' IN spec", func(s *ShowVector) form {
		return form{one("OF", key, &s.Vertex), one("IN", embedding, &s.Embedding)}
	}),
	asks("SHOW VERTICES", "SHOW VERTICES IN social COLUMNS degree, city WHERE city IN ('Bern', 'Basel') ORDER BY age DESC LIMIT 20", func(s *ShowVertices) form {
		return form{mayAt("IN", graph, &s.Graph)}
	}),
	asks("SHOW EDGES", "SHOW EDGES IN social WHERE weight >= 2 AND BOTH (city = 'Bern') ORDER BY time DESC LIMIT 20", func(s *ShowEdges) form {
		return form{mayAt("IN", graph, &s.Graph)}
	}),
	asks("SHOW NEIGHBORS", "SHOW NEIGHBORS OF 'alice' WITHIN 2 IN social WHERE degree > 10 LIMIT 10", func(s *ShowNeighbors) form {
		return form{one("OF", key, &s.Of), may("WITHIN", count, &s.Within), mayAt("IN", graph, &s.Graph), options(&s.Options)}
	}),
	asks("SHOW ATTRIBUTES", "SHOW ATTRIBUTES IN social", func(s *ShowAttributes) form { return form{mayAt("IN", graph, &s.Graph)} }),
	asks("COUNT VERTICES", "COUNT VERTICES IN social WHERE degree > 10 BY city WITH mean(age), max(degree)", func(s *CountVertices) form {
		return form{mayAt("IN", graph, &s.Graph), may("WHERE", condition, &s.Where), mayAt("BY", attribute, &s.By), maySome("WITH", summary, &s.With)}
	}),
	asks("COUNT EDGES", "COUNT EDGES IN social WHERE BOTH (degree > 10) BY kind WITH sum(weight), max(time)", func(s *CountEdges) form {
		return form{mayAt("IN", graph, &s.Graph), may("WHERE", edgeCondition, &s.Where), mayAt("BY", attribute, &s.By), maySome("WITH", summary, &s.With)}
	}),
	asks("COMPUTE", "COMPUTE pagerank(damping := 0.85) IN social AS rank", computeForm),
	asks("PATH", "PATH FROM 'alice' TO 'bob' IN social", func(s *Path) form {
		return form{one("FROM", key, &s.From), one("TO", key, &s.To), mayAt("IN", graph, &s.Graph), toggle{"BY WEIGHT", &s.ByWeight}, options(&s.Options)}
	}),
	asks("PATHS", "PATHS 5 FROM 'alice' TO 'bob' IN social", func(s *Paths) form {
		return form{one("", count, &s.Count), one("FROM", key, &s.From), one("TO", key, &s.To), mayAt("IN", graph, &s.Graph), toggle{"BY WEIGHT", &s.ByWeight}, options(&s.Options)}
	}),
	asks("EMBED", "EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec", func(s *Embed) form {
		return form{one("", graph, &s.Graph), one("USING", method, &s.Method), form(embedAs(s))}
	}),
	asks("ESTIMATE EMBED", "ESTIMATE EMBED social USING dp_walker(dim := 128)", func(s *Estimate) form {
		return form{one("", graph, &s.Graph), one("USING", method, &s.Method), estimated(s)}
	}),
	asks("ESTIMATE COMPUTE", "ESTIMATE COMPUTE betweenness IN social", func(s *EstimateCompute) form { return computeForm(&s.Compute) }),
	asks("CANCEL JOB", "CANCEL JOB 3", func(s *Job) form { return form{is[JobVerb]{&s.Verb, CancelJob}, one("", job, &s.Number)} }),
	asks("RESUME JOB", "RESUME JOB 3 IN BACKGROUND", func(s *Job) form {
		return form{is[JobVerb]{&s.Verb, ResumeJob}, one("", job, &s.Number), background(&s.Background)}
	}),
	asks("WAIT JOB", "WAIT JOB 3", func(s *Job) form { return form{is[JobVerb]{&s.Verb, WaitJob}, one("", job, &s.Number)} }),
	asks("REFRESH MEASURE", "REFRESH MEASURE rank IN social", func(s *RefreshMeasure) form {
		return form{one("", attribute, &s.Attribute), one("IN", graph, &s.Graph), background(&s.Background)}
	}),
	asks("REFRESH PREDICTIONS", "REFRESH PREDICTIONS FROM model(friends) IN social", func(s *RefreshPredictions) form {
		return form{one("FROM", scorer, &s.Scorer), one("IN", graph, &s.Graph), background(&s.Background)}
	}),
	asks("REFRESH ALL", "REFRESH ALL IN social", func(s *RefreshAll) form { return form{refreshedGraph(s)} }),
	asks("REFRESH", "REFRESH spec", func(s *Refresh) form {
		return form{one("", embedding, &s.Embedding), options(&s.Options), background(&s.Background)}
	}),
	asks("VERIFY", "VERIFY spec WITH (sample := 200)", func(s *Verify) form {
		return form{one("", embedding, &s.Embedding), options(&s.Options), background(&s.Background)}
	}),
	renames(RenamedGraph, graph, newGraph, "ALTER GRAPH social RENAME TO people"),
	does("ALTER EMBEDDING", "ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES; ALTER EMBEDDING spec AUTO REFRESH EVERY '1h'", func(s *AutoRefresh) form {
		return form{one("", embedding, &s.Embedding), word("AUTO REFRESH"), either{
			{one("AFTER", count, &s.Changes), word("CHANGES")}, {one("EVERY", duration, &s.Every)}, {word("OFF")},
		}}
	}),
	renames(RenamedEmbedding, embedding, newEmbedding, "ALTER EMBEDDING spec RENAME TO old"),
	renames(RenamedModel, model, newModel, "ALTER MODEL friends RENAME TO old"),
	renames(RenamedAttribute, attribute, newAttribute, "ALTER ATTRIBUTE age IN people RENAME TO years"),
	renames(RenamedEdgeAttribute, attribute, newAttribute, "ALTER EDGE ATTRIBUTE kind IN people RENAME TO sort"),
	asks("DIFF", "DIFF spec@1, spec@2 LIMIT 20", func(s *Diff) form {
		return form{one("", embedding, &s.Before), sign(","), one("", embedding, &s.After)}
	}),
	asks("NEAREST", "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3; NEAREST 5 TO ('alice', 107) USING spec; NEAREST 10 FOR ALL USING cosine(spec) WHERE NOT linked; NEAREST 5 FOR FILE 'keys.txt' USING spec WITH (count := 100)", func(s *Nearest) form {
		return form{
			one("", count, &s.Count), either{{word("TO"), either{{examples(s)}, {one("", vertex, &s.To)}}}, {oneAt("FOR", each, &s.Each)}},
			one("USING", space, &s.Using), toggle{"FRESH", &s.Fresh}, toggle{"EXACT", &s.Exact}, options(&s.Options),
		}
	}),
	asks("WITHIN", "WITHIN EPSILON 0.45 OF 'alice' USING spec LIMIT 20", func(s *Within) form {
		return form{one("", threshold, &s.Threshold), one("OF", vertex, &s.Of), one("USING", space, &s.Using), toggle{"EXACT", &s.Exact}}
	}),
	does("RECONSTRUCT", "RECONSTRUCT spec AUTO INTO GRAPH again WITH (criterion := 'spearman')", func(s *Reconstruct) form {
		return form{
			one("", embedding, &s.Embedding), one("", thresholdOrAuto, &s.Threshold),
			maybe{word("INTO"), either{{oneAt("GRAPH", newGraph, &s.Graph)}, {one("FILE", fileName, &s.File)}}}, options(&s.Options),
		}
	}),
	asks("EVALUATE LINKS", "EVALUATE LINKS IN social USING dp_spectral(beta := 0.25), dp_walker WITH (share := 0.1, features := 'difference, l1')", func(s *EvaluateLinks) form {
		return form{one("IN", graph, &s.Graph), maySome("USING", method, &s.Methods), options(&s.Options)}
	}),
	asks("EVALUATE TEST", "EVALUATE TEST FILE 'test.csv' AGAINST FILE 'negatives.csv' IN train WITH l3, model(friends) WITH (own := TRUE); EVALUATE TEST GRAPH held AGAINST GRAPH others IN train", func(s *EvaluateTest) form {
		return form{
			either{{one("FILE", pairsFile, &s.File)}, {oneAt("GRAPH", graph, &s.Edges)}},
			word("AGAINST"), either{{one("FILE", pairsFile, &s.AgainstFile)}, {oneAt("GRAPH", graph, &s.Against)}},
			mayAt("IN", graph, &s.Graph), mayScorers(&s.Scorers, &s.Options), options(&s.Options),
		}
	}),
	asks("EVALUATE LABELS", "EVALUATE LABELS 'groups' OF spec WITH (fractions := '0.1,0.5', separator := ',')", func(s *EvaluateLabels) form {
		return form{one("", label, &s.Attribute), one("OF", embedding, &s.Embedding), options(&s.Options)}
	}),
	asks("EVALUATE PARAMETERS", "EVALUATE PARAMETERS IN social USING dp_spectral(normalization := 'degree') WITH (beta := '0,0.25,0.5,1', dim := '50,100,200')", func(s *EvaluateParameters) form {
		return form{one("IN", graph, &s.Graph), one("USING", method, &s.Method), options(&s.Options)}
	}),
	asks("EVALUATE RECONSTRUCTION", "EVALUATE RECONSTRUCTION OF spec WITH (grid := 'paper', criterion := 'f1')", func(s *EvaluateReconstruction) form {
		return form{one("OF", embedding, &s.Embedding), options(&s.Options)}
	}),
	does("TUNE", "TUNE social USING dp_spectral(dim := 64), dp_walker FOR RECONSTRUCTION AS best WITH (budget := '10m')", func(s *Tune) form {
		return form{
			one("", graph, &s.Graph), maySome("USING", method, &s.Methods), word("FOR"), oneOf(&s.For, goals), one("AS", newEmbedding, &s.Embedding),
			options(&s.Options), background(&s.Background),
		}
	}),
	asks("TRAIN MODEL", "TRAIN MODEL friends IN social; TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, katz) WITH (seed := 1)", func(s *TrainModel) form {
		return form{one("", newModel, &s.Model), one("IN", graph, &s.Graph), features(s), options(&s.Options), background(&s.Background)}
	}),
	asks("MATERIALIZE PREDICTIONS", "MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50)", func(s *Materialize) form {
		return form{optionsFrom(&s.Options), one("", scorer, &s.Scorer), one("IN", graph, &s.Graph), options(&s.Options), background(&s.Background)}
	}),
	does("SCORE FILE", "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'", func(s *ScoreFile) form {
		return form{one("", pairsFile, &s.Pairs), mayAt("IN", graph, &s.Graph), some("WITH", scorer, &s.Scorers), may("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	asks("SCORE", "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)", func(s *Score) form {
		return form{some("", pair, &s.Pairs), mayAt("IN", graph, &s.Graph), some("WITH", scorer, &s.Scorers), options(&s.Options)}
	}),
	asks("PREDICT", "PREDICT 20 LINKS FOR 'alice' IN social WITH resource_allocation WHERE degree >= 3; PREDICT 10 LINKS IN mail WITH l3 AS OF '2015-01-01'; PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WITH (near := 100) WHERE degree > 2", func(s *Predict) form {
		return form{
			one("", count, &s.Count), word("LINKS"), maybe{word("FOR"), whom(&s.Each, &s.For)},
			mayAt("IN", graph, &s.Graph), is[bool]{&s.Stored, false}, oneAt("WITH", scorer, &s.Scorer), may("AS OF", date, &s.AsOf),
			options(&s.Options),
		}
	}),
	asks("PREDICT", "PREDICT 10 LINKS FOR 'alice' IN social", func(s *Predict) form {
		return form{
			one("", count, &s.Count), word("LINKS FOR"), whom(&s.Each, &s.For), is[bool]{&s.Stored, true},
			mayAt("IN", graph, &s.Graph), mayAt("FROM", scorer, &s.Scorer),
		}
	}),
	does("HELP", "HELP NEAREST", func(s *Help) form { return form{topic(s)} }),
	asks("CHECK", "CHECK", func(*Check) form { return nil }),
	does("COMPACT", "COMPACT", func(*Compact) form { return nil }),
	does("BACKUP", "BACKUP INTO FILE 'monday.ht' WITH (overwrite := TRUE)", func(s *Backup) form {
		return form{one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
	does("RECOVER", "RECOVER INTO FILE 'saved.ht'", func(s *Recover) form {
		return form{one("INTO FILE", fileName, &s.File), options(&s.Options)}
	}),
}

// explainScore is the rule of EXPLAIN in front of SCORE with one pair.
var explainScore = asks("EXPLAIN SCORE", "EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends)", func(s *ExplainScore) form {
	return form{one("", pair, &s.Pair), mayAt("IN", graph, &s.Graph), mayScorers(&s.Scorers, &s.Options), options(&s.Options)}
})

// advices are remedies for what is wrong directly behind some words.
var advices = map[string]string{
	"INSERT":  "INSERT VERTEX v (a := x) INTO g adds vertices, INSERT EDGE (v, w) INTO g edges",
	"UPDATE":  "UPDATE VERTEX v SET a := x IN g sets attributes of a vertex, UPDATE VERTICES IN g SET a := x WHERE … of those that meet a condition, UPDATE EDGE weights, times and attributes of edges",
	"DELETE":  "DELETE VERTEX v FROM g deletes a vertex, DELETE VERTICES FROM g WHERE … those that meet a condition, DELETE EDGE (v, w) FROM g an edge, DROP GRAPH g a graph",
	"NEAREST": "NEAREST 10 TO v USING embedding finds the 10 nearest vertices",
}

func computeForm(s *Compute) form {
	return form{
		one("", measure, &s.Measure), one("IN", graph, &s.Graph), maySome("FROM", key, &s.From), mayAt("AS", newAttribute, &s.As),
		options(&s.Options), background(&s.Background),
	}
}

// renames is the rule of a Rename.
func renames(what Renamed, old, made *part[Ident], example string) rule {
	r := does("ALTER "+string(what), example, func(s *Rename) form {
		f := form{is[Renamed]{&s.What, what}, one("", old, &s.Name)}
		if what == RenamedAttribute || what == RenamedEdgeAttribute {
			f = append(f, oneAt("IN", graph, &s.Graph))
		}
		return append(f, one("RENAME TO", made, &s.To))
	})
	r.heading = "ALTER"
	return r
}
