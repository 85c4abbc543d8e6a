package parser

// What the grammar expects, in the words of an error.
const (
	graphName        = "a graph name"
	newGraphName     = "a name for the graph"
	embeddingName    = "an embedding name"
	newEmbeddingName = "a name for the embedding"
	attributeName    = "an attribute name"
	attributeText    = "an attribute name in single quotes"
	optionName       = "an option name"
	methodName       = "a method name"
	walkMethodName   = "the name of a method that walks"
	generatorName    = "a generator name"
	scorerName       = "a scorer name"
	modelName        = "a model name"
	newModelName     = "a name for the model"
	heuristicName    = "the name of a heuristic"
	heuristicsText   = "heuristics(…)"
	metricName       = "a metric"
	columnName       = "a column name"
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

// scalarTexts are what stands for any string, number or boolean.
var scalarTexts = []string{stringText, numberText, "TRUE", "FALSE"}

// The expectations that stand for a name, and those that a string meets.
var (
	nameClasses = []string{
		graphName, newGraphName, embeddingName, newEmbeddingName, attributeName, optionName, methodName, walkMethodName,
		generatorName, scorerName, modelName, newModelName, heuristicName, columnName,
	}
	textClasses = []string{attributeText, fileText, keyText, stringText, dateText}
)
