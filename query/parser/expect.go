package parser

// The expectations of the grammar, other than keywords and signs, as errors write
// them.
const (
	graphName        = "a graph name"
	newGraphName     = "a name for the graph"
	embeddingName    = "an embedding name"
	newEmbeddingName = "a name for the embedding"
	attributeName    = "an attribute name"
	attributeText    = "an attribute name in single quotes"
	optionName       = "an option name"
	methodName       = "a method name"
	measureName      = "the name of a measure"
	newAttributeName = "a name for the attribute"
	walkMethodName   = "the name of a walk method"
	generatorName    = "a generator name"
	scorerName       = "a scorer name"
	modelName        = "a model name"
	newModelName     = "a name for the model"
	heuristicName    = "the name of a heuristic"
	heuristicsText   = "heuristics(…)"
	metricName       = "a metric"
	columnName       = "a column name"
	functionName     = "sum, mean, min or max"
	fileText         = "a file name in single quotes"
	countText        = "an integer"
	numberText       = "a number"
	dateText         = "a date in single quotes"
	keyText          = "a vertex key"
	vectorText       = "a [vector]"
	stringText       = "a string"
	comparisonText   = "a comparison"
	topicText        = "a topic"
	jobText          = "the number of a job"
	parameterText    = "a $parameter"
)

var scalarTexts = []string{stringText, numberText, "TRUE", "FALSE"}

// The expectations that a name meets, and those that a string meets.
var (
	nameClasses = []string{
		graphName, newGraphName, embeddingName, newEmbeddingName, attributeName, optionName, methodName, walkMethodName, measureName, newAttributeName,
		generatorName, scorerName, modelName, newModelName, heuristicName, columnName, functionName,
	}
	textClasses = []string{attributeText, fileText, keyText, stringText, dateText}
)
