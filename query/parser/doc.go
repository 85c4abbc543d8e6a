// Package parser reads heavytail's query language: text becomes statements, and
// statements become canonical text again.
//
// Parse reads one statement, ParseScript all of a text, and a Splitter gives
// them out one by one while a script is still arriving. The nodes are plain data
// with the range of text each came from; what the names in them stand for is
// decided by package query. Every mistake is an Error with its position, what
// was found, what would have been right there, and often what was meant. Next
// tells what may come at the end of an unfinished text, by the same productions;
// it, Tokens, Complete, Keywords and Suggest are for the shell.
//
// The package knows nothing of graphs and reads no files. All functions are
// deterministic and safe for concurrent use, but for the methods of one
// Splitter.
//
// # Lexical rules
//
// A text is UTF-8. Blanks, tabs, line ends and comments (-- to the end of the
// line, /* … */ not nested) separate tokens. Keywords are read in any case. A
// bare name is a letter A to Z of either case or _, then letters, digits and _;
// names are case-sensitive. @ and a number behind a bare name belong to it: they
// mean a generation of an embedding. A name in double quotes and a string in single
// quotes are any text, in which their own quote is written twice. NUL and bytes
// that are no UTF-8 are errors everywhere.
//
// Reserved words cannot be bare names: AND AS FALSE FOR FROM IN INTO IS LIMIT
// MISSING NOT NULL OF OR TO TRUE USING WHERE WITH. All other keywords can.
// MISSING is that a vertex has no value of an attribute; conditions know it as
// SQL knows NULL.
//
// Numbers are 0, 12, 0.5 and 1e-4; a minus sign may stand before them. Without
// fraction and exponent a number is an integer of 64 bits, with either a float,
// which must be finite. A number does not begin with a needless zero, as a
// vertex key may: 007 is no integer, '007' is a key.
//
// A parameter, $name, stands for a value that comes beside the text. It may
// stand wherever the grammar has an integer, number, string, key, vertex or
// literal.
//
// # Grammar
//
// Words in capitals are keywords, {…} is any number of times, […] is optional.
// Behind each production, after "e.g.", stands an example of it.
//
//	script       = { [ statement ] ";" } [ statement ]      e.g. SHOW GRAPHS; ; CHECK
//	statement    = [ "EXPLAIN" | "PROFILE" ] plain
//	             | explainscore                             e.g. PROFILE NEAREST 10 TO 'alice' USING spec;
//	plain        = create | drop | insert | update | delete
//	             | import | export | generate | describe
//	             | show | embed | estimate | job | renew | alter | diff
//	             | nearest | within
//	             | reconstruct | evaluate | tune | train | materialize | predicted | score
//	             | scorefile | predict | help | maintain    e.g. CHECK;
//
//	create       = "CREATE" ( "GRAPH" name
//	             | "INDEX" "ON" name [ options ]
//	               [ background ] )                         e.g. CREATE GRAPH social; CREATE INDEX ON spec WITH (metric := 'cosine');
//	drop         = "DROP" ( "GRAPH" name [ "CASCADE" ]
//	             | "EMBEDDING" name | "INDEX" "ON" name
//	             | "JOB" integer | "MODEL" name
//	             | "PREDICTIONS" "FROM" scorer "IN" name
//	             | "ATTRIBUTE" name "FROM" name )           e.g. DROP GRAPH social CASCADE; DROP ATTRIBUTE age FROM social;
//	insert       = "INSERT" ( vertexword newvertex
//	               { "," newvertex }
//	             | edgeword newedge { "," newedge } )
//	               "INTO" name                              e.g. INSERT VERTEX 'alice' (age := 41, city := 'Bern'), 'bob' INTO social;
//	update       = "UPDATE" ( vertexword keys "SET"
//	               assignments "IN" name
//	             | vertexword "IN" name "SET" assignments
//	               where
//	             | edgeword pairs "SET" edgevalues
//	               "IN" name )                              e.g. UPDATE VERTICES IN social SET minor := TRUE WHERE age < 18;
//	delete       = "DELETE" ( vertexword keys "FROM" name
//	             | vertexword "FROM" name where
//	             | edgeword pairs "FROM" name
//	             | edgeword "FILE" string "FROM" name
//	               [ options ] )                            e.g. DELETE VERTICES FROM social WHERE degree = 0;
//	import       = "IMPORT" [ "VERTICES" ] string
//	               "INTO" name [ options ]                  e.g. IMPORT 'edges.tsv.gz' INTO social WITH (on_error := 'skip');
//	export       = "EXPORT" ( "GRAPH" name
//	             | "VERTICES" "OF" name
//	             | "WALKS" "OF" name "USING" call
//	             | "EMBEDDING" name )
//	               "INTO" "FILE" string [ options ]         e.g. EXPORT EMBEDDING spec INTO FILE 'spec.txt' WITH (overwrite := true);
//	generate     = "GENERATE" call "INTO" name              e.g. GENERATE preferential_attachment(n := 10000, m := 40) INTO synthetic;
//	describe     = "DESCRIBE" ( "GRAPH" name [ options ]
//	             | "VERTEX" key [ "IN" name ]
//	             | "EMBEDDING" name | "MODEL" name )                       e.g. DESCRIBE GRAPH social WITH (bootstrap := 100, seed := 1);
//	show         = "SHOW" ( "GRAPHS" | "EMBEDDINGS"
//	             | "INDEXES" | "MODELS" | "PREDICTIONS"
//	             | "METHODS" | "SCORERS"
//	             | "GENERATORS" | "STATS" | "JOBS"
//	             | "ATTRIBUTES" [ "IN" name ]
//	             | "GENERATIONS" "OF" name
//	             | showvertices )                           e.g. SHOW EMBEDDINGS;
//	showvertices = ( "VERTICES" | "NEIGHBORS" "OF" key )
//	               [ "IN" name ] [ where ]
//	               [ "LIMIT" integer ]                      e.g. SHOW NEIGHBORS OF 'alice' IN social WHERE age > 30 LIMIT 10;
//	embed        = "EMBED" name "USING" call "AS" name
//	               [ options ] [ background ]               e.g. EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec;
//	estimate     = "ESTIMATE" "EMBED" name "USING" call     e.g. ESTIMATE EMBED social USING dp_walker(dim := 128);
//	job          = ( "CANCEL" | "WAIT" ) "JOB" integer
//	             | "RESUME" "JOB" integer [ background ]    e.g. WAIT JOB 3; RESUME JOB 4 IN BACKGROUND;
//	background   = "IN" "BACKGROUND"                        e.g. EMBED social USING deepwalk AS walks IN BACKGROUND;
//	renew        = ( "REFRESH" | "VERIFY" ) name [ options ]
//	               [ background ]                           e.g. REFRESH spec; VERIFY spec IN BACKGROUND;
//	alter        = "ALTER" "EMBEDDING" name
//	               "AUTO" "REFRESH"
//	               ( "AFTER" integer "CHANGES"
//	               | "EVERY" string | "OFF" )               e.g. ALTER EMBEDDING spec AUTO REFRESH AFTER 100 CHANGES; ALTER EMBEDDING spec AUTO REFRESH EVERY '1h';
//	diff         = "DIFF" name "," name [ "LIMIT" integer ] e.g. DIFF spec@1, spec@2 LIMIT 20;
//	nearest      = "NEAREST" integer
//	               "TO" ( vertex | "(" key { "," key } ")" )
//	               "USING" space [ "FRESH" ] [ "EXACT" ]
//	               [ where ]                                e.g. NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked; NEAREST 5 TO ('alice', 107) USING spec;
//	within       = "WITHIN" threshold "OF" vertex
//	               "USING" space [ "EXACT" ] [ where ]
//	               [ "LIMIT" integer ]                      e.g. WITHIN EPSILON 0.45 OF 107 USING spec LIMIT 100;
//	reconstruct  = "RECONSTRUCT" name
//	               ( threshold | "AUTO" )
//	               [ "INTO" ( "GRAPH" name
//	                        | "FILE" string ) ]
//	               [ options ]                              e.g. RECONSTRUCT spec AUTO INTO GRAPH again WITH (grid := 'paper');
//	evaluate     = "EVALUATE" ( "RECONSTRUCTION" "OF" name
//	             | "LABELS" string "OF" name
//	             | "PARAMETERS" "IN" name "USING" call
//	             | "LINKS" "IN" name "USING" call
//	               { "," call } )
//	               [ options ]                              e.g. EVALUATE LABELS 'area' OF spec; EVALUATE LINKS IN social USING dp_spectral(dim := 64), deepwalk WITH (share := 0.1);
//	tune         = "TUNE" name [ "USING" call { "," call } ]
//	               "FOR" ( "RECONSTRUCTION" | "LINKS"
//	             | "LABELS" ) "AS" name [ options ]
//	               [ background ]                           e.g. TUNE social USING dp_spectral, dp_walker(walks := 5) FOR LINKS AS best WITH (budget := '10m');
//	train        = "TRAIN" "MODEL" name "IN" name
//	               [ "USING" term [ "," term ] ]
//	               [ options ] [ background ]               e.g. TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, katz) WITH (seed := 1);
//	term         = name
//	             | "heuristics" "(" name { "," name } ")"   e.g. TRAIN MODEL friends IN social USING heuristics(jaccard) IN BACKGROUND;
//	materialize  = "MATERIALIZE" "PREDICTIONS"
//	               [ option { "," option } ]
//	               "FROM" scorer "IN" name
//	               [ options ] [ background ]               e.g. MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50);
//	predicted    = "PREDICT" integer "LINKS" "FOR" key
//	               [ "IN" name ] [ "FROM" scorer ]          e.g. PREDICT 10 LINKS FOR 'alice' IN social;
//	score        = "SCORE" pair { "," pair } [ "IN" name ]
//	               "WITH" scorer { "," scorer } [ options ] e.g. SCORE ('alice', 'bob'), (1, 2) IN social WITH adamic_adar, cosine(spec);
//	explainscore = "EXPLAIN" "SCORE" pair [ "IN" name ]
//	               [ "WITH" scorer { "," scorer } ]         e.g. EXPLAIN SCORE ('alice', 'bob') IN social WITH model(friends);
//	scorefile    = "SCORE" "FILE" string [ "IN" name ]
//	               "WITH" scorer { "," scorer }
//	               [ "INTO" "FILE" string ] [ options ]     e.g. SCORE FILE 'pairs.csv' IN social WITH jaccard INTO FILE 'scores.csv' WITH (overwrite := true);
//	predict      = "PREDICT" integer "LINKS"
//	               [ "FOR" key ] [ "IN" name ]
//	               "WITH" scorer [ where ] [ options ]      e.g. PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WHERE degree > 2 WITH (near := 100);
//	help         = "HELP" { word }                          e.g. HELP export graph;
//	maintain     = "CHECK" | "COMPACT" | "MIGRATE"
//	             | ( "BACKUP" | "RECOVER" ) "INTO" "FILE"
//	               string [ options ]                       e.g. BACKUP INTO FILE 'social.backup' WITH (overwrite := true);
//
//	options      = "WITH" "(" option { "," option } ")"     e.g. IMPORT $file INTO social WITH (separator := ',', header := 'none');
//	option       = name ":=" literal                        e.g. GENERATE preferential_attachment(n := $n) INTO g;
//	call         = name [ "(" [ option { "," option } ] ")" ] e.g. EMBED social USING laplacian_eigenmaps AS eigen;
//	space        = name | name "(" name ")"                 e.g. NEAREST 10 TO $who USING l2("my embedding");
//	threshold    = ( "RADIUS" | "EPSILON" ) number          e.g. WITHIN RADIUS 0.35 OF 'alice' USING spec;
//	vertexword   = "VERTEX" | "VERTICES"                    e.g. DELETE VERTICES 'a', 'b' FROM social;
//	edgeword     = "EDGE" | "EDGES"                         e.g. DELETE EDGES FILE 'gone.csv' FROM social;
//	newvertex    = key [ "(" assignments ")" ]              e.g. INSERT VERTEX 107 (name := 'Ann') INTO social;
//	assignments  = assignment { "," assignment }            e.g. UPDATE VERTEX 'alice', 'bob' SET age := 42, city := MISSING IN social;
//	assignment   = name ":=" ( literal | "MISSING" )        e.g. UPDATE VERTEX 'alice' SET "first name" := 'Alice' IN social;
//	newedge      = "(" key "," key [ "," edgevalues ] ")"   e.g. INSERT EDGE ('alice', 'bob'), ('a', 'c', weight := 2.5) INTO social;
//	edgevalues   = edgevalue [ "," edgevalue ]              e.g. UPDATE EDGE ('a', 'b') SET weight := 3, time := MISSING IN social;
//	edgevalue    = "WEIGHT" ":=" ( number | "MISSING" )
//	             | "TIME" ":=" ( integer | string
//	                           | "MISSING" )                e.g. INSERT EDGE ('a', 'b', time := '2024-02-29') INTO social;
//	keys         = key { "," key }                          e.g. DELETE VERTEX 'alice', 107 FROM social;
//	pairs        = pair { "," pair }                        e.g. DELETE EDGE ('a', 'b'), ('c', 'd') FROM social;
//	pair         = "(" key "," key ")"                      e.g. SCORE ($u, $v) WITH jaccard;
//	scorer       = name [ "(" name ")" ]                    e.g. SCORE ('a', 'b') WITH katz, probability(spec);
//	vertex       = key | vector                             e.g. NEAREST 3 TO 'alice' USING spec;
//	key          = string | integer                         e.g. NEAREST 3 TO 107 USING spec;
//	vector       = "[" number { "," number } "]"            e.g. NEAREST 3 TO [0.1, -2, 1e-4] USING spec;
//	literal      = string | number | "TRUE" | "FALSE"       e.g. RECONSTRUCT spec RADIUS 0.2 WITH (sweep := TRUE);
//
//	where        = "WHERE" condition                        e.g. NEAREST 5 TO 'a' USING e WHERE degree >= 3;
//	condition    = conjunction { "OR" conjunction }         e.g. NEAREST 5 TO 'a' USING e WHERE linked OR degree < 3 AND NOT linked;
//	conjunction  = negation { "AND" negation }              e.g. NEAREST 5 TO 'a' USING e WHERE degree >= 3 AND degree <= 10;
//	negation     = "NOT" negation | "(" condition ")"
//	             | comparison                               e.g. NEAREST 5 TO 'a' USING e WHERE NOT (linked OR degree > 1000);
//	comparison   = operand operator operand
//	             | operand [ "NOT" ] "IN"
//	               "(" literal { "," literal } ")"
//	             | operand "IS" [ "NOT" ] "MISSING" | name  e.g. SHOW VERTICES WHERE city IN ('Bern', 'Basel') AND age IS NOT MISSING;
//	operand      = name | literal                           e.g. NEAREST 5 TO 'a' USING e WHERE degree = $d;
//	operator     = "=" | "<>" | "!=" | "<" | "<=" | ">"
//	             | ">="                                     e.g. NEAREST 5 TO 'a' USING e WHERE degree != 2;
//
// A statement is at most MaxText bytes and MaxTokens tokens long, and a
// condition at most MaxDepth levels deep.
package parser
