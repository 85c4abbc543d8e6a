package parser

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value is a literal or a parameter: one of String, Int, Float, Bool, Vector,
// Missing and Param. The parser checks the kind where the language allows only
// some (each field of this type lists them). It never checks a magnitude, such
// as a count above 0.
//
//	literal      = string | number | "TRUE" | "FALSE"       e.g. RECONSTRUCT spec RADIUS 0.2 WITH (sweep := TRUE);
type Value interface {
	Node
	fmt.Stringer
	value()
}

// String is a string literal.
type String struct {
	Range
	Value string
}

// Int is an integer literal.
type Int struct {
	Range
	Value int64
}

// Float is a number with a fraction or an exponent. It is finite.
type Float struct {
	Range
	Value float64
}

// Bool is TRUE or FALSE.
type Bool struct {
	Range
	Value bool
}

// Vector is [x, y, …]: at least one number, each finite as float64.
type Vector struct {
	Range
	Values []float64
}

// Missing is MISSING: the absence of a value. It is allowed only where a value
// is set.
type Missing struct{ Range }

// Param is a parameter, $name, whose value is passed separately from the text.
type Param struct {
	Range
	Name string // without the $
}

// ValueOf returns the literal of an int64, float64, bool or string, and of anything else the string literal of its
// text. A number must be finite.
func ValueOf(v any) Value {
	switch v := v.(type) {
	case int64:
		return Int{Value: v}
	case float64:
		return Float{Value: v}
	case bool:
		return Bool{Value: v}
	}
	return String{Value: fmt.Sprint(v)}
}

func (String) value()  {}
func (Int) value()     {}
func (Float) value()   {}
func (Bool) value()    {}
func (Vector) value()  {}
func (Missing) value() {}
func (Param) value()   {}

// kinds are the kinds of value that a place allows. All allow a parameter.
type kinds uint8

const (
	aString kinds = 1 << iota
	anInt
	aFloat
	aBool
	aVector
	aMissing
)

const (
	aNumber = anInt | aFloat
	aKey    = aString | anInt
	aVertex = aKey | aVector
	aTime   = aString | anInt
	aScalar = aString | aNumber | aBool
)

// value reads a literal of one of the allowed kinds, or a parameter; what are
// the descriptions of the literals in an error.
func (p *parser) value(allowed kinds, what ...string) Value {
	if p.err != nil {
		return nil
	}
	t := p.tok
	switch {
	case t.Kind == KindParam:
		p.next()
		return Param{t.Range, t.Text[1:]}
	case t.Kind == KindString && allowed&aString != 0:
		p.next()
		return String{t.Range, strings.ReplaceAll(t.Text[1:len(t.Text)-1], "''", "'")}
	case allowed&aNumber != 0 && (t.Kind == KindNumber || t.Kind == KindSign && t.Text == "-"):
		return p.number(allowed, what)
	case allowed&aBool != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "TRUE"):
		p.next()
		return Bool{t.Range, true}
	case allowed&aBool != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "FALSE"):
		p.next()
		return Bool{t.Range, false}
	case allowed&aMissing != 0 && t.Kind == KindWord && strings.EqualFold(t.Text, "MISSING"):
		p.next()
		return Missing{t.Range}
	case allowed&aVector != 0 && t.Kind == KindSign && t.Text == "[":
		return p.vector()
	}
	for _, w := range what {
		p.expect(w)
	}
	if allowed&aMissing != 0 {
		p.expect("MISSING")
	}
	p.expect(parameterText)
	p.unexpected()
	return nil
}

// number reads an Int or a Float: whichever the text is, if it is allowed.
func (p *parser) number(allowed kinds, what []string) Value {
	begin, text := p.numberText()
	if p.err != nil {
		return nil
	}
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			remedy := ""
			if allowed&aString != 0 {
				remedy = "a vertex key of this many digits is written in single quotes"
			}
			p.fail(fault(p.since(begin), "integer "+show(text)+" is out of range", remedy))
		}
		return Int{p.since(begin), n}
	}
	if allowed&aFloat == 0 {
		p.fail(&Error{Range: p.since(begin), Found: show(text), Expected: append(slices.Clone(what), parameterText)})
		return nil
	}
	return Float{p.since(begin), p.float(begin, text)}
}

// numberText reads a number with its sign.
func (p *parser) numberText() (begin Pos, text string) {
	begin = p.tok.Start
	if p.tok.Text == "-" && p.sign("-") {
		text = "-"
	}
	if p.err == nil && p.tok.Kind != KindNumber {
		p.expect(numberText)
		p.unexpected()
	}
	if p.err != nil {
		return begin, ""
	}
	text += p.tok.Text
	p.next()
	return begin, text
}

// float converts a number. The scanner has checked all but its magnitude.
func (p *parser) float(begin Pos, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail(fault(p.since(begin), "number "+show(text)+" is out of range", ""))
	}
	return x
}

// vector reads a vector.
//
//	vector       = "[" number { "," number } "]"            e.g. NEAREST 3 TO [0.1, -2, 1e-4] USING spec;
func (p *parser) vector() Value {
	begin := p.tok.Start
	p.needSign("[")
	var values []float64
	for more := true; more && p.err == nil; more = p.sign(",") {
		at, text := p.numberText()
		if p.err == nil {
			values = append(values, p.float(at, text))
		}
	}
	p.needSign("]")
	return Vector{p.since(begin), values}
}

// key reads the key of a vertex.
//
//	key          = string | integer                         e.g. NEAREST 3 TO 107 USING spec;
func (p *parser) key() Value { return p.value(aKey, keyText) }

// vertex reads the key of a vertex or a vector.
//
//	vertex       = key | vector                             e.g. NEAREST 3 TO 'alice' USING spec;
func (p *parser) vertex() Value { return p.value(aVertex, keyText, vectorText) }

func (n String) String() string { return "'" + strings.ReplaceAll(n.Value, "'", "''") + "'" }

func (n Int) String() string { return strconv.FormatInt(n.Value, 10) }

// String writes the shortest text that reads back as the same number and not as
// an integer.
func (n Float) String() string {
	text := strconv.FormatFloat(n.Value, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func (n Bool) String() string {
	if n.Value {
		return "TRUE"
	}
	return "FALSE"
}

func (n Vector) String() string {
	text := []byte{'['}
	for i, x := range n.Values {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendFloat(text, x, 'g', -1, 64)
	}
	return string(append(text, ']'))
}

func (n Missing) String() string { return "MISSING" }

func (n Param) String() string { return "$" + n.Name }
