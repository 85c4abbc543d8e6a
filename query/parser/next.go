package parser

import "slices"

// Class is a kind of word that a place of a statement allows, other than a keyword.
// A shell looks up the candidates of a class to complete a word.
type Class string

// The classes.
const (
	ClassGraph     Class = "graph"     // a graph of the file
	ClassEmbedding Class = "embedding" // an embedding of the file
	ClassAttribute Class = "attribute" // an attribute of Names.Graph, or a column of a condition
	ClassLabel     Class = "label"     // an attribute, its name in single quotes
	ClassVertex    Class = "vertex"    // the key of a vertex
	ClassOption    Class = "option"    // an option of Names.Call
	ClassMethod    Class = "method"    // of EMBED
	ClassMeasure   Class = "measure"   // of COMPUTE
	ClassWalks     Class = "walks"     // a walk method, of EXPORT WALKS
	ClassGenerator Class = "generator" // of GENERATE
	ClassScorer    Class = "scorer"    // of SCORE
	ClassModel     Class = "model"     // a model of the file
	ClassFunction  Class = "function"  // of COUNT VERTICES … WITH
	ClassHeuristic Class = "heuristic" // a scorer that needs only the graph
	ClassTerms     Class = "terms"     // heuristics(…), of TRAIN MODEL
	ClassMetric    Class = "metric"    // of NEAREST and WITHIN
	ClassFile      Class = "file"      // the name of a file
	ClassTopic     Class = "topic"     // of HELP
	ClassJob       Class = "job"       // the number of a job
	ClassValue     Class = "value"     // a string, number or boolean, of Names.Option where that is set
	ClassName      Class = "name"      // a new name
)

var classes = map[string]Class{
	graphName:        ClassGraph,
	newGraphName:     ClassName,
	embeddingName:    ClassEmbedding,
	newEmbeddingName: ClassName,
	attributeName:    ClassAttribute,
	columnName:       ClassAttribute,
	attributeText:    ClassLabel,
	optionName:       ClassOption,
	methodName:       ClassMethod,
	measureName:      ClassMeasure,
	newAttributeName: ClassName,
	walkMethodName:   ClassWalks,
	generatorName:    ClassGenerator,
	scorerName:       ClassScorer,
	modelName:        ClassModel,
	newModelName:     ClassName,
	heuristicName:    ClassHeuristic,
	functionName:     ClassFunction,
	heuristicsText:   ClassTerms,
	metricName:       ClassMetric,
	fileText:         ClassFile,
	keyText:          ClassVertex,
	topicText:        ClassTopic,
	jobText:          ClassJob,
	countText:        ClassValue,
	numberText:       ClassValue,
	dateText:         ClassValue,
	stringText:       ClassValue,
	vectorText:       ClassValue,
}

// Completion describes what may come at the end of an unfinished text.
type Completion struct {
	// Start is the offset in bytes of the word that is being written, which a
	// completion replaces: a word, number or parameter that touches the end of
	// the text, or a string or quoted name that is not closed, with its quote. It
	// is the length of the text where no word is being written.
	Start    int
	Keywords []string // allowed at Start, in upper case, in the order of the grammar
	Classes  []Class  // also allowed there, in the order of the grammar
	Names
}

// Next returns what may come at the end of a text: the expectations of the
// parser where the text ends, without the word that is being written. The text
// is a script of any length; the result is about its last statement. If the text
// has a mistake before its end, or ends inside a comment, there are no keywords and
// no classes. Next takes time proportional to the text.
func Next(text string) Completion {
	at, ok := wordStart(text)
	c := Completion{Start: at}
	if !ok {
		return c
	}
	p := newParser(Source{Text: text[:at]})
	p.semicolons()
	for p.statement(); p.tok.Kind != KindEnd; p.statement() {
		if !p.sign(";") {
			return c
		}
		p.semicolons()
	}
	c.Names = p.named
	for _, what := range p.expected {
		class, isClass := classes[what]
		switch {
		case isClass && !slices.Contains(c.Classes, class):
			c.Classes = append(c.Classes, class)
		case IsKeyword(what) && !slices.Contains(c.Keywords, what):
			c.Keywords = append(c.Keywords, what)
		}
	}
	return c
}

// wordStart returns the offset of the word that is being written at the end of
// a text. It returns false where nothing can be completed there.
func wordStart(text string) (int, bool) {
	tokens := Tokens(text)
	if len(tokens) == 0 {
		return len(text), true
	}
	last := tokens[len(tokens)-1]
	if last.End.Offset != len(text) {
		return len(text), true
	}
	switch last.Kind {
	case KindWord, KindNumber, KindParam:
		return last.Start.Offset, true
	case KindInvalid:
		quote := last.Text[0]
		return last.Start.Offset, quote == '\'' || quote == '"'
	case KindComment:
		return len(text), len(last.Text) > 2 && last.Text[:2] == "/*"
	}
	return len(text), true
}
