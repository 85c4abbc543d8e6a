package parser

// The values of nodes, by what they name or are.
var (
	graph           = &part[Ident]{"name", "graph", (*parser).graph}
	newGraph        = named("graph", newGraphName)
	embedding       = &part[Ident]{"name", "embedding", (*parser).embedding}
	newEmbedding    = named("embedding", newEmbeddingName)
	model           = named("model", modelName)
	newModel        = named("model", newModelName)
	attribute       = named("attribute", attributeName)
	newAttribute    = named("attribute", newAttributeName)
	column          = named("column", columnName)
	count           = valued("integer", "n", anInt, countText)
	job             = valued("integer", "job", anInt, jobText)
	fileName        = valued("string", "'file'", aString, fileText)
	pairsFile       = valued("string", "'pairs'", aString, fileText)
	label           = valued("string", "'attribute'", aString, attributeText)
	duration        = valued("string", "'time'", aString, stringText)
	date            = valued("( string | integer )", "time", aTime, dateText)
	key             = &part[Value]{"key", "vertex", (*parser).key}
	vertex          = &part[Value]{"vertex", "vertex | [vector]", (*parser).vertex}
	method          = called("method[(option := value, …)]", methodName)
	walkMethod      = called("method[(option := value, …)]", walkMethodName)
	measure         = called("measure[(option := value, …)]", measureName)
	generator       = called("generator(option := value, …)", generatorName)
	space           = &part[Space]{"space", "embedding | metric(embedding)", (*parser).space}
	scorer          = &part[Scorer]{"scorer", "scorer | scorer(embedding) | model(model)", (*parser).scorer}
	pair            = &part[Pair]{"pair", "(vertex, vertex)", (*parser).pair}
	summary         = &part[Summary]{"summary", "sum | mean | min | max(attribute | degree)", (*parser).summary}
	each            = &part[Each]{"each", "ALL | FILE 'keys'", (*parser).each}
	threshold       = &part[Threshold]{"threshold", "RADIUS r | EPSILON e", func(p *parser) Threshold { return p.threshold(false) }}
	thresholdOrAuto = &part[Threshold]{`( threshold | "AUTO" )`, "RADIUS r | EPSILON e | AUTO", func(p *parser) Threshold { return p.threshold(true) }}
	newVertex       = &part[NewVertex]{"newvertex", "vertex [(attribute := value, …)]", (*parser).newVertex}
	newEdge         = &part[NewEdge]{"newedge", "(vertex, vertex[, WEIGHT := weight][, TIME := time][, attribute := value])", (*parser).newEdge}
	edgeValues      = &part[EdgeValues]{"edgevalues", "WEIGHT := weight | MISSING, TIME := time | MISSING, attribute := value | MISSING", (*parser).edgeValues}
	assignment      = &part[Option]{"assignment", "attribute := value | MISSING", (*parser).assignment}
	condition       = &part[Expr]{"condition", "condition", (*parser).anyCondition}
	edgeCondition   = &part[Expr]{"condition", "condition of weight, time, BOTH (condition), EITHER (condition)", (*parser).edgeCondition}
)

func named(shown, what string) *part[Ident] {
	return &part[Ident]{"name", shown, func(p *parser) Ident { return p.name(what) }}
}

func valued(rule, shown string, allowed kinds, what string) *part[Value] {
	return &part[Value]{rule, shown, func(p *parser) Value { return p.value(allowed, what) }}
}

func called(shown, what string) *part[Call] {
	return &part[Call]{"call", shown, func(p *parser) Call { return p.call(what) }}
}
