package typed

import (
	"fmt"
	"strconv"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/internal/excerpt"
)

// Cut separates the type from a name such as "zip:text".
func Cut(name string) (string, format.Type) {
	i := strings.LastIndexByte(name, ':')
	if i <= 0 {
		return name, format.Untyped
	}
	switch t := format.Type(name[i+1:]); t {
	case format.Text, format.Integer, format.Float, format.Boolean:
		return name[:i], t
	}
	return name, format.Untyped
}

// Fault returns the reason why a value does not have a type, or "".
func Fault(t format.Type, value []byte) string {
	text := string(value)
	var err error
	switch t {
	case format.Integer:
		_, err = strconv.ParseInt(text, 10, 64)
	case format.Float:
		if !decimal.IsFinite(value) {
			err = format.ErrNotFinite
		}
	case format.Boolean:
		if text != "true" && text != "false" {
			err = format.ErrSyntax
		}
	}
	if err != nil {
		return fmt.Sprintf("%s is no %s", excerpt.Of(value), t)
	}
	return ""
}

// Name is the name of a type in GraphML, GEXF and the headers of Neo4j.
func Name(t format.Type) string {
	switch OrText(t) {
	case format.Integer:
		return "long"
	case format.Float:
		return "double"
	case format.Boolean:
		return "boolean"
	}
	return "string"
}

// OrText returns the type, and text for an attribute without one.
func OrText(t format.Type) format.Type {
	if t == format.Untyped {
		return format.Text
	}
	return t
}
