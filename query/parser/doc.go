// Package parser reads heavytail's query language: text becomes statements, and
// statements become canonical text again.
//
// Parse reads one statement and ParseScript all statements of a text. A Splitter
// returns them one by one while the script is still being read. The nodes are
// plain data with the range of text each was read from; package query resolves the
// names in them. Every mistake is an Error with its position, what was found, what
// was expected, and often the nearest keyword or a remedy. Next returns what may
// come at the end of an unfinished text, by the same productions. Next, Tokens,
// Complete, Keywords and Suggest are for the shell.
//
// The package knows nothing of graphs and reads no files. All functions are
// deterministic and safe for concurrent use, except the methods of one Splitter.
//
// # Lexical rules
//
// A text is UTF-8. Blanks, tabs, line ends and comments (-- to the end of the
// line, /* … */ not nested) separate tokens. Keywords are read in any case. A
// bare name is a letter A to Z of either case or _, then letters, digits and _;
// names are case-sensitive. @ and a number behind a bare name belong to it: they
// name a generation of an embedding. A name in double quotes and a string in single
// quotes are any text, in which their own quote is written twice. NUL and bytes
// that are not UTF-8 are errors everywhere.
//
// Reserved words cannot be bare names: AND AS DISTINCT FALSE FOR FROM IN INTO IS LIMIT
// MISSING NOT NULL OF OR TO TRUE USING WHERE WITH. All other keywords can.
// MISSING says that a vertex has no value of an attribute; conditions treat it as
// SQL treats NULL.
//
// Numbers are written as 0, 12, 0.5 and 1e-4, with a minus sign before a negative
// number. Without fraction and exponent a number is an integer of 64 bits, with
// either it is a float, which must be finite. A number, unlike a vertex key, has no
// leading zero: 007 is an error, '007' is a key.
//
// A parameter, $name, has a value that is passed separately from the text. It is
// allowed wherever the grammar has an integer, number, string, key, vertex or
// literal.
//
// # Grammar
//
// Words in capitals are keywords, {…} is repeated any number of times, […] is
// optional. Each production ends with an example, after "e.g.".
//
//	script       = { [ statement ] ";" } [ statement ]      e.g. SHOW GRAPHS; ; CHECK
//	statement    = [ "EXPLAIN" | "PROFILE" ] tailed
//	             | explainscore                             e.g. PROFILE NEAREST 10 TO 'alice' USING spec;
//	tailed       = plain [ "COLUMNS" [ "DISTINCT" ]
//	               name { "," name } ]
//	               [ "WHERE" condition ] [ order ]
//	               [ "LIMIT" integer ] [ "OFFSET" integer ]
//	               [ "INTO" "FILE" string [ options ] ]     e.g. COUNT VERTICES IN social BY city ORDER BY vertices DESC LIMIT 10; SHOW VERTICES IN social INTO FILE 'people.parquet';
//	explainscore = "EXPLAIN" "SCORE" pair [ "IN" name ]
//	               [ "WITH" scorer { "," scorer } ]
//	               [ options ]                              e.g. EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends);
//	plain        = createindex | creategraph
//	               | createdirectedgraph | dropgraph
//	               | dropattribute | dropedgeattribute
//	               | dropindex | dropjob | dropmodel
//	               | droppredictions | dropembedding
//	               | insertvertex | insertedge
//	               | updatevertices | updatevertex
//	               | updateedge | deletevertices
//	               | deletevertex | deleteedgesfile
//	               | deleteedges | deleteedge
//	               | importvertices | importembedding
//	               | import | exportgraph | exportvertices
//	               | exportwalks | exportembedding
//	               | exportpairs | generate | describegraph
//	               | describevertex | describemodel
//	               | describeembedding | show
//	               | showgenerations | showvector
//	               | showvertices | showedges
//	               | showneighbors | showattributes
//	               | countvertices | countedges | compute
//	               | path | paths | embed | estimateembed
//	               | estimatecompute | canceljob
//	               | resumejob | waitjob | refreshmeasure
//	               | refreshpredictions | refreshall
//	               | refresh | verify | altergraph
//	               | alterembedding | altermodel
//	               | alterattribute | alteredgeattribute
//	               | diff | nearest | within | reconstruct
//	               | evaluatelinks | evaluatetest
//	               | evaluatelabels | evaluateparameters
//	               | evaluatereconstruction | tune
//	               | trainmodel | materializepredictions
//	               | scorefile | score | predict | help
//	               | check | compact | backup | recover     e.g. CHECK;
//	condition    = conjunction { "OR" conjunction }         e.g. NEAREST 5 TO 'a' USING e WHERE linked OR degree < 3 AND NOT linked;
//	order        = "ORDER" "BY" name [ "ASC" | "DESC" ]     e.g. SHOW VERTICES IN social ORDER BY degree DESC;
//	options      = "WITH" "(" option { "," option } ")"     e.g. IMPORT $file INTO social WITH (separator := ',', header := 'none');
//	pair         = "(" key "," key ")"                      e.g. SCORE ($u, $v) WITH jaccard;
//	scorer       = name [ "(" name ")" ]                    e.g. SCORE ('a', 'b') WITH katz, probability(spec);
//	createindex  = "CREATE" "INDEX" "ON" name [ options ]
//	               [ "IN" "BACKGROUND" ]                    e.g. CREATE INDEX ON spec WITH (metric := 'cosine', ef := 100);
//	creategraph  = "CREATE" "GRAPH" name "AS" ( "SUBGRAPH"
//	               "OF" name "WHERE" condition
//	               | "COMPONENT" "OF" name [ "FROM" key ]
//	               | "EGO" "OF" name "FROM" key [ "WITHIN"
//	               integer ] | "SAMPLE" "OF" name [ options
//	               ] | "NULL" "OF" name [ options ]
//	               | "SPANNING" "FOREST" "OF" name
//	               | "UNION" "OF" name "," name { "," name
//	               } [ options ] | "UNDIRECTED" "OF" name
//	               | "REVERSED" "OF" name | "NEAREST"
//	               integer "USING" space [ "MUTUAL" ] )
//	               | "CREATE" "GRAPH" name                  e.g. CREATE GRAPH adults AS SUBGRAPH OF social WHERE age >= 18 AND weight > 1; CREATE GRAPH near AS NEAREST 10 USING cosine(spec) MUTUAL; CREATE GRAPH friends AS EGO OF social FROM 'alice' WITHIN 2; CREATE GRAPH skeleton AS SPANNING FOREST OF social; CREATE GRAPH social;
//	createdirectedgraph = "CREATE" "DIRECTED" "GRAPH" name  e.g. CREATE DIRECTED GRAPH follows;
//	dropgraph    = "DROP" "GRAPH" name [ "CASCADE" ]        e.g. DROP GRAPH social CASCADE;
//	dropattribute = "DROP" "ATTRIBUTE" name "FROM" name     e.g. DROP ATTRIBUTE age FROM social;
//	dropedgeattribute = "DROP" "EDGE" "ATTRIBUTE" name
//	               "FROM" name                              e.g. DROP EDGE ATTRIBUTE kind FROM social;
//	dropindex    = "DROP" "INDEX" "ON" name                 e.g. DROP INDEX ON spec;
//	dropjob      = "DROP" "JOB" integer                     e.g. DROP JOB 3;
//	dropmodel    = "DROP" "MODEL" name                      e.g. DROP MODEL friends;
//	droppredictions = "DROP" "PREDICTIONS" "FROM" scorer
//	               "IN" name                                e.g. DROP PREDICTIONS FROM model(friends) IN social;
//	dropembedding = "DROP" "EMBEDDING" name                 e.g. DROP EMBEDDING spec;
//	insertvertex = "INSERT" ( "VERTEX" | "VERTICES" )
//	               newvertex { "," newvertex } "INTO" name  e.g. INSERT VERTEX 'alice' (age := 41, city := 'Bern'), 'bob' INTO social;
//	insertedge   = "INSERT" ( "EDGE" | "EDGES" ) newedge
//	               { "," newedge } "INTO" name              e.g. INSERT EDGE ('alice', 'bob'), ('alice', 'carol', WEIGHT := 2.5, TIME := '2024-02-29', kind := 'mail') INTO social;
//	updatevertices = "UPDATE" ( "VERTICES" | "VERTEX" )
//	               "IN" name "SET" assignment { ","
//	               assignment } "WHERE" condition           e.g. UPDATE VERTICES IN social SET hub := TRUE WHERE degree >= 100;
//	updatevertex = "UPDATE" ( "VERTEX" | "VERTICES" ) key
//	               { "," key } "SET" assignment { ","
//	               assignment } "IN" name                   e.g. UPDATE VERTEX 'alice', 'bob' SET age := 42, city := MISSING IN social;
//	updateedge   = "UPDATE" ( "EDGE" | "EDGES" ) pair { ","
//	               pair } "SET" edgevalues "IN" name        e.g. UPDATE EDGE ('alice', 'bob') SET WEIGHT := 3, TIME := MISSING, kind := 'call' IN social;
//	deletevertices = "DELETE" ( "VERTICES" | "VERTEX" )
//	               "FROM" name "WHERE" condition            e.g. DELETE VERTICES FROM social WHERE degree = 0;
//	deletevertex = "DELETE" ( "VERTEX" | "VERTICES" ) key
//	               { "," key } "FROM" name                  e.g. DELETE VERTEX 'alice', 'bob' FROM social;
//	deleteedgesfile = "DELETE" ( "EDGES" | "EDGE" ) "FILE"
//	               string "FROM" name [ options ]           e.g. DELETE EDGES FILE 'gone.csv' FROM social;
//	deleteedges  = "DELETE" ( "EDGES" | "EDGE" ) "FROM"
//	               name "WHERE" condition                   e.g. DELETE EDGES FROM social WHERE weight < 2 OR EITHER (degree > 1000);
//	deleteedge   = "DELETE" ( "EDGE" | "EDGES" ) pair { ","
//	               pair } "FROM" name                       e.g. DELETE EDGE ('alice', 'bob'), ('carol', 'dave') FROM social;
//	importvertices = "IMPORT" "VERTICES" string "INTO" name
//	               [ options ]                              e.g. IMPORT VERTICES 'people.csv' INTO social WITH (key := 'name', columns := 'age, city');
//	importembedding = "IMPORT" "EMBEDDING" string "INTO"
//	               name "AS" name [ options ]               e.g. IMPORT EMBEDDING 'theirs.npy' INTO social AS theirs WITH (keys := 'nodes.txt', no_vector := 'zero');
//	import       = "IMPORT" string "INTO" name [ options ]  e.g. IMPORT 'messages.csv.gz' INTO social WITH (source := 'from', target := 'to', time := 3);
//	exportgraph  = "EXPORT" "GRAPH" name "INTO" "FILE"
//	               string [ options ]                       e.g. EXPORT GRAPH social INTO FILE 'social.graphml.gz';
//	exportvertices = "EXPORT" "VERTICES" "OF" name "INTO"
//	               "FILE" string [ options ]                e.g. EXPORT VERTICES OF social INTO FILE 'people.csv';
//	exportwalks  = "EXPORT" "WALKS" "OF" name "USING" call
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT WALKS OF social USING dp_walker(beta := 1.5) INTO FILE 'walks.txt.gz';
//	exportembedding = "EXPORT" "EMBEDDING" name "INTO"
//	               "FILE" string [ options ]                e.g. EXPORT EMBEDDING spec INTO FILE 'spec.npy' WITH (overwrite := TRUE);
//	exportpairs  = "EXPORT" "PAIRS" "OF" name [ "USING"
//	               call { "," call } ] "INTO" "FILE" string
//	               [ options ]                              e.g. EXPORT PAIRS OF social USING dp_spectral INTO FILE 'pairs.parquet' WITH (negatives := 'degree');
//	generate     = "GENERATE" call "INTO" name              e.g. GENERATE preferential_attachment(n := 10000, m := 40, seed := 7) INTO synthetic;
//	describegraph = "DESCRIBE" "GRAPH" name [ "ALL" ]
//	               [ options ]                              e.g. DESCRIBE GRAPH social WITH (bootstrap := 100); DESCRIBE GRAPH social ALL;
//	describevertex = "DESCRIBE" "VERTEX" key [ "IN" name ]  e.g. DESCRIBE VERTEX 'alice' IN social;
//	describemodel = "DESCRIBE" "MODEL" name [ "ALL" ]       e.g. DESCRIBE MODEL friends; DESCRIBE MODEL friends ALL;
//	describeembedding = "DESCRIBE" "EMBEDDING" name [ "ALL"
//	               ]                                        e.g. DESCRIBE EMBEDDING spec; DESCRIBE EMBEDDING spec ALL;
//	show         = "SHOW" ( "GRAPHS" | "EMBEDDINGS"
//	               | "INDEXES" | "MODELS" | "PREDICTIONS"
//	               | "METHODS" | "MEASURES" | "SCORERS"
//	               | "GENERATORS" | "STATS" | "JOBS" )      e.g. SHOW EMBEDDINGS;
//	showgenerations = "SHOW" "GENERATIONS" "OF" name        e.g. SHOW GENERATIONS OF spec;
//	showvector   = "SHOW" "VECTOR" "OF" key "IN" name       e.g. SHOW VECTOR OF 'alice' IN spec;
//	showvertices = "SHOW" "VERTICES" [ "IN" name ]          e.g. SHOW VERTICES IN social COLUMNS degree, city WHERE city IN ('Bern', 'Basel') ORDER BY age DESC LIMIT 20;
//	showedges    = "SHOW" "EDGES" [ "IN" name ]             e.g. SHOW EDGES IN social WHERE weight >= 2 AND BOTH (city = 'Bern') ORDER BY time DESC LIMIT 20;
//	showneighbors = "SHOW" "NEIGHBORS" "OF" key [ "WITHIN"
//	               integer ] [ "IN" name ] [ options ]      e.g. SHOW NEIGHBORS OF 'alice' WITHIN 2 IN social WHERE degree > 10 LIMIT 10;
//	showattributes = "SHOW" "ATTRIBUTES" [ "IN" name ]      e.g. SHOW ATTRIBUTES IN social;
//	countvertices = "COUNT" "VERTICES" [ "IN" name ]
//	               [ "WHERE" condition ] [ "BY" name ]
//	               [ "WITH" summary { "," summary } ]       e.g. COUNT VERTICES IN social WHERE degree > 10 BY city WITH mean(age), max(degree);
//	countedges   = "COUNT" "EDGES" [ "IN" name ] [ "WHERE"
//	               condition ] [ "BY" name ] [ "WITH"
//	               summary { "," summary } ]                e.g. COUNT EDGES IN social WHERE BOTH (degree > 10) BY kind WITH sum(weight), max(time);
//	compute      = "COMPUTE" call "IN" name [ "FROM" key
//	               { "," key } ] [ "AS" name ] [ options ]
//	               [ "IN" "BACKGROUND" ]                    e.g. COMPUTE pagerank(damping := 0.85) IN social AS rank;
//	path         = "PATH" "FROM" key "TO" key [ "IN" name ]
//	               [ "BY" "WEIGHT" ] [ options ]            e.g. PATH FROM 'alice' TO 'bob' IN social;
//	paths        = "PATHS" integer "FROM" key "TO" key
//	               [ "IN" name ] [ "BY" "WEIGHT" ]
//	               [ options ]                              e.g. PATHS 5 FROM 'alice' TO 'bob' IN social;
//	embed        = "EMBED" name "USING" call "AS" name
//	               [ options ] [ "IN" "BACKGROUND" ]        e.g. EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec;
//	estimateembed = "ESTIMATE" "EMBED" name "USING" call
//	               [ "AS" name [ options ] [ "IN"
//	               "BACKGROUND" ] ]                         e.g. ESTIMATE EMBED social USING dp_walker(dim := 128);
//	estimatecompute = "ESTIMATE" "COMPUTE" call "IN" name
//	               [ "FROM" key { "," key } ] [ "AS" name ]
//	               [ options ] [ "IN" "BACKGROUND" ]        e.g. ESTIMATE COMPUTE betweenness IN social;
//	canceljob    = "CANCEL" "JOB" integer                   e.g. CANCEL JOB 3;
//	resumejob    = "RESUME" "JOB" integer [ "IN"
//	               "BACKGROUND" ]                           e.g. RESUME JOB 3 IN BACKGROUND;
//	waitjob      = "WAIT" "JOB" integer                     e.g. WAIT JOB 3;
//	refreshmeasure = "REFRESH" "MEASURE" name "IN" name
//	               [ "IN" "BACKGROUND" ]                    e.g. REFRESH MEASURE rank IN social;
//	refreshpredictions = "REFRESH" "PREDICTIONS" "FROM"
//	               scorer "IN" name [ "IN" "BACKGROUND" ]   e.g. REFRESH PREDICTIONS FROM model(friends) IN social;
//	refreshall   = "REFRESH" "ALL" "IN" name                e.g. REFRESH ALL IN social;
//	refresh      = "REFRESH" name [ options ] [ "IN"
//	               "BACKGROUND" ]                           e.g. REFRESH spec;
//	verify       = "VERIFY" name [ options ] [ "IN"
//	               "BACKGROUND" ]                           e.g. VERIFY spec WITH (sample := 200);
//	altergraph   = "ALTER" "GRAPH" name "RENAME" "TO" name  e.g. ALTER GRAPH social RENAME TO people;
//	alterembedding = "ALTER" "EMBEDDING" name "AUTO"
//	               "REFRESH" ( "AFTER" integer "CHANGES"
//	               | "EVERY" string | "OFF" ) | "ALTER"
//	               "EMBEDDING" name "RENAME" "TO" name      e.g. ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES; ALTER EMBEDDING spec AUTO REFRESH EVERY '1h'; ALTER EMBEDDING spec RENAME TO old;
//	altermodel   = "ALTER" "MODEL" name "RENAME" "TO" name  e.g. ALTER MODEL friends RENAME TO old;
//	alterattribute = "ALTER" "ATTRIBUTE" name "IN" name
//	               "RENAME" "TO" name                       e.g. ALTER ATTRIBUTE age IN people RENAME TO years;
//	alteredgeattribute = "ALTER" "EDGE" "ATTRIBUTE" name
//	               "IN" name "RENAME" "TO" name             e.g. ALTER EDGE ATTRIBUTE kind IN people RENAME TO sort;
//	diff         = "DIFF" name "," name                     e.g. DIFF spec@1, spec@2 LIMIT 20;
//	nearest      = "NEAREST" integer ( "TO" ( "(" key { ","
//	               key } ")" | vertex ) | "FOR" each )
//	               "USING" space [ "FRESH" ] [ "EXACT" ]
//	               [ options ]                              e.g. NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3; NEAREST 5 TO ('alice', 107) USING spec; NEAREST 10 FOR ALL USING cosine(spec) WHERE NOT linked; NEAREST 5 FOR FILE 'keys.txt' USING spec WITH (count := 100);
//	within       = "WITHIN" threshold "OF" vertex "USING"
//	               space [ "EXACT" ]                        e.g. WITHIN EPSILON 0.45 OF 'alice' USING spec LIMIT 20;
//	reconstruct  = "RECONSTRUCT" name ( threshold | "AUTO"
//	               ) [ "INTO" ( "GRAPH" name | "FILE"
//	               string ) ] [ options ]                   e.g. RECONSTRUCT spec AUTO INTO GRAPH again WITH (criterion := 'spearman');
//	evaluatelinks = "EVALUATE" "LINKS" "IN" name [ "USING"
//	               call { "," call } ] [ options ]          e.g. EVALUATE LINKS IN social USING dp_spectral(beta := 0.25), dp_walker WITH (share := 0.1, features := 'difference, l1');
//	evaluatetest = "EVALUATE" "TEST" ( "FILE" string
//	               | "GRAPH" name ) "AGAINST" ( "FILE"
//	               string | "GRAPH" name ) [ "IN" name ]
//	               [ "WITH" scorer { "," scorer } ]
//	               [ options ]                              e.g. EVALUATE TEST FILE 'test.csv' AGAINST FILE 'negatives.csv' IN train WITH l3, model(friends) WITH (own := TRUE); EVALUATE TEST GRAPH held AGAINST GRAPH others IN train;
//	evaluatelabels = "EVALUATE" "LABELS" string "OF" name
//	               [ options ]                              e.g. EVALUATE LABELS 'groups' OF spec WITH (fractions := '0.1,0.5', separator := ',');
//	evaluateparameters = "EVALUATE" "PARAMETERS" "IN" name
//	               "USING" call [ options ]                 e.g. EVALUATE PARAMETERS IN social USING dp_spectral(normalization := 'degree') WITH (beta := '0,0.25,0.5,1', dim := '50,100,200');
//	evaluatereconstruction = "EVALUATE" "RECONSTRUCTION"
//	               "OF" name [ options ]                    e.g. EVALUATE RECONSTRUCTION OF spec WITH (grid := 'paper', criterion := 'f1');
//	tune         = "TUNE" name [ "USING" call { "," call }
//	               ] "FOR" ( "RECONSTRUCTION" | "LINKS"
//	               | "LABELS" ) "AS" name [ options ]
//	               [ "IN" "BACKGROUND" ]                    e.g. TUNE social USING dp_spectral(dim := 64), dp_walker FOR RECONSTRUCTION AS best WITH (budget := '10m');
//	trainmodel   = "TRAIN" "MODEL" name "IN" name [ "USING"
//	               term [ "," term ] ] [ options ] [ "IN"
//	               "BACKGROUND" ]                           e.g. TRAIN MODEL friends IN social; TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, katz) WITH (seed := 1);
//	materializepredictions = "MATERIALIZE" "PREDICTIONS"
//	               [ option { "," option } ] "FROM" scorer
//	               "IN" name [ options ] [ "IN"
//	               "BACKGROUND" ]                           e.g. MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50);
//	scorefile    = "SCORE" "FILE" string [ "IN" name ]
//	               "WITH" scorer { "," scorer } [ "INTO"
//	               "FILE" string ] [ options ]              e.g. SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv';
//	score        = "SCORE" pair { "," pair } [ "IN" name ]
//	               "WITH" scorer { "," scorer } [ options ] e.g. SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec);
//	predict      = "PREDICT" integer "LINKS" [ "FOR" ( each
//	               | key ) ] [ "IN" name ] "WITH" scorer
//	               [ "AS" "OF" ( string | integer ) ]
//	               [ options ] | "PREDICT" integer "LINKS"
//	               "FOR" ( each | key ) [ "IN" name ]
//	               [ "FROM" scorer ]                        e.g. PREDICT 20 LINKS FOR 'alice' IN social WITH resource_allocation WHERE degree >= 3; PREDICT 10 LINKS IN mail WITH l3 AS OF '2015-01-01'; PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WITH (near := 100) WHERE degree > 2; PREDICT 10 LINKS FOR 'alice' IN social;
//	help         = "HELP" { word }                          e.g. HELP NEAREST;
//	check        = "CHECK"                                  e.g. CHECK;
//	compact      = "COMPACT"                                e.g. COMPACT;
//	backup       = "BACKUP" "INTO" "FILE" string [ options
//	               ]                                        e.g. BACKUP INTO FILE 'monday.ht' WITH (overwrite := TRUE);
//	recover      = "RECOVER" "INTO" "FILE" string [ options
//	               ]                                        e.g. RECOVER INTO FILE 'saved.ht';
//	conjunction  = negation { "AND" negation }              e.g. NEAREST 5 TO 'a' USING e WHERE degree >= 3 AND degree <= 10;
//	option       = name ":=" literal                        e.g. GENERATE preferential_attachment(n := $n) INTO g;
//	key          = string | integer                         e.g. NEAREST 3 TO 107 USING spec;
//	space        = name | name "(" name ")"                 e.g. NEAREST 10 TO $who USING l2("my embedding");
//	newvertex    = key [ "(" assignment
//	               { "," assignment } ")" ]                 e.g. INSERT VERTEX 107 (name := 'Ann') INTO social;
//	newedge      = "(" key "," key [ "," edgevalues ] ")"   e.g. INSERT EDGE ('alice', 'bob'), ('a', 'c', weight := 2.5) INTO social;
//	assignment   = name ":=" ( literal | "MISSING" )        e.g. UPDATE VERTEX 'alice' SET "first name" := 'Alice' IN social;
//	edgevalues   = edgevalue { "," edgevalue }              e.g. UPDATE EDGE ('a', 'b') SET weight := 3, time := MISSING IN social;
//	call         = name [ "(" [ option { "," option } ] ")" ] e.g. EMBED social USING laplacian_eigenmaps AS eigen;
//	summary      = name "(" name ")"                        e.g. COUNT VERTICES IN social WITH min(age), max(age), sum(degree);
//	vertex       = key | vector                             e.g. NEAREST 3 TO 'alice' USING spec;
//	each         = "ALL" | "FILE" string                    e.g. PREDICT 10 LINKS FOR ALL IN social; PREDICT 10 LINKS FOR FILE 'keys.txt' IN social WITH l3;
//	threshold    = ( "RADIUS" | "EPSILON" ) number          e.g. WITHIN RADIUS 0.35 OF 'alice' USING spec;
//	term         = name
//	             | "heuristics" "(" name { "," name } ")"   e.g. TRAIN MODEL friends IN social USING heuristics(jaccard) IN BACKGROUND;
//	negation     = "NOT" negation | "(" condition ")"
//	             | comparison                               e.g. NEAREST 5 TO 'a' USING e WHERE NOT (linked OR degree > 1000);
//	literal      = string | number | "TRUE" | "FALSE"       e.g. RECONSTRUCT spec RADIUS 0.2 WITH (sweep := TRUE);
//	edgevalue    = "WEIGHT" ":=" ( number | "MISSING" )
//	             | "TIME" ":=" ( integer | string
//	                           | "MISSING" ) | assignment   e.g. INSERT EDGE ('a', 'b', time := '2024-02-29', kind := 'mail') INTO social;
//	vector       = "[" number { "," number } "]"            e.g. NEAREST 3 TO [0.1, -2, 1e-4] USING spec;
//	comparison   = operand operator operand
//	             | operand [ "NOT" ] "IN"
//	               "(" literal { "," literal } ")"
//	             | operand [ "NOT" ] "LIKE" string
//	               [ "ESCAPE" string ]
//	             | operand "IS" [ "NOT" ] "MISSING"
//	             | ( "linked" | "links_to"
//	               | "linked_from" ) key
//	             | name | ends                              e.g. SHOW VERTICES WHERE city IN ('Bern', 'Basel') AND key LIKE 'anna%' AND age IS NOT MISSING;
//	operand      = name | literal                           e.g. NEAREST 5 TO 'a' USING e WHERE degree = $d;
//	operator     = "=" | "<>" | "!=" | "<" | "<=" | ">"
//	             | ">="                                     e.g. NEAREST 5 TO 'a' USING e WHERE degree != 2;
//	ends         = ( "BOTH" | "EITHER" ) "(" condition ")"  e.g. SHOW EDGES IN social WHERE weight > 2 AND BOTH (city = 'Bern');
//
// A statement is at most MaxText bytes and MaxTokens tokens long, and a
// condition at most MaxDepth levels deep.
package parser
