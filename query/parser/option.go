package parser

import "strings"

// Option is name := value, an option or an attribute with its value. Names may
// repeat; package query refuses that.
type Option struct {
	Range
	Name  Ident
	Value Value
}

// option reads an option.
//
//	option       = name ":=" literal                        e.g. GENERATE preferential_attachment(n := $n) INTO g;
func (p *parser) option() Option { return p.setting(optionName, aScalar) }

// assignment reads attribute := value, where the value may be MISSING.
//
//	assignment   = name ":=" ( literal | "MISSING" )        e.g. UPDATE VERTEX 'alice' SET "first name" := 'Alice' IN social;
func (p *parser) assignment() Option { return p.setting(attributeName, aScalar|aMissing) }

func (p *parser) setting(what string, allowed kinds) Option {
	begin := p.tok.Start
	name := p.name(what)
	p.needSign(":=")
	p.named.Option = name.Name
	value := p.value(allowed, scalarTexts...)
	if p.err == nil {
		p.named.Option = ""
	}
	return Option{p.since(begin), name, value}
}

func (n Option) String() string { return n.Name.String() + " := " + n.Value.String() }

// options reads the options of a statement, method or generator. Its owner is
// the heading of the statement, or the name.
func (p *parser) options(owner string) []Option {
	p.named.Call = owner
	options := separated(p, p.option)
	if p.err == nil {
		p.named.Call = ""
	}
	return options
}

// options is WITH (name := value, …), the options of the statement that is being read. It may be
// left out. The parentheses distinguish it from the WITH of SCORE, which lists scorers.
//
//	options      = "WITH" "(" option { "," option } ")"     e.g. IMPORT $file INTO social WITH (separator := ',', header := 'none');
func options(to *[]Option) own {
	return own{"[ options ]", "[WITH (option := value, …)]", func(p *parser) bool {
		if *to == nil {
			*to = p.withOptions(strings.TrimPrefix(p.heading, "ESTIMATE "))
		}
		return true
	}, func() string { return withOptions(*to) }, false}
}

// withOptions reads the options of a statement, by its heading, or of a part of one.
func (p *parser) withOptions(owner string) []Option {
	if !p.keyword("WITH") {
		return nil
	}
	if !p.sign("(") {
		p.rather = "options are written WITH (name := value, …)" // such as WITH share := 0.1, or WITH cosine
		p.unexpected()
	}
	options := p.options(owner)
	p.needSign(")")
	return options
}

func withOptions(options []Option) string {
	if len(options) == 0 {
		return ""
	}
	return "WITH (" + joined(options) + ")"
}

// Call is a method or generator with its options: dp_spectral(dim := 200). The
// parentheses may be left out where there are no options.
//
//	call         = name [ "(" [ option { "," option } ] ")" ] e.g. EMBED social USING laplacian_eigenmaps AS eigen;
type Call struct {
	Range
	Name    Ident
	Options []Option
}

// call reads name or name(option, …).
func (p *parser) call(what string) Call {
	begin := p.tok.Start
	n := Call{Name: p.name(what)}
	if p.sign("(") && !p.sign(")") {
		n.Options = p.options(n.Name.Name)
		p.needSign(")")
	}
	n.Range = p.since(begin)
	return n
}

// ParseCall reads a method or generator with its options. The error is an *Error.
func ParseCall(text string) (Call, error) {
	p := newParser(Source{Text: text})
	n := p.call(methodName)
	return n, p.ended()
}

func (n Call) String() string {
	if len(n.Options) == 0 {
		return n.Name.String()
	}
	return n.Name.String() + "(" + joined(n.Options) + ")"
}
