package format

import (
	"fmt"
	"strconv"
	"strings"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/internal/excerpt"
)

// cutType separates the type from a name such as "zip:text".
func cutType(name string) (string, Type) {
	i := strings.LastIndexByte(name, ':')
	if i <= 0 {
		return name, Untyped
	}
	switch t := Type(name[i+1:]); t {
	case Text, Integer, Float, Boolean:
		return name[:i], t
	}
	return name, Untyped
}

// valueFault returns the reason why a value does not have a type, or "".
func valueFault(t Type, value []byte) string {
	text := string(value)
	var err error
	switch t {
	case Integer:
		_, err = strconv.ParseInt(text, 10, 64)
	case Float:
		if !decimal.IsFinite(value) {
			err = ErrNotFinite
		}
	case Boolean:
		if text != "true" && text != "false" {
			err = ErrSyntax
		}
	}
	if err != nil {
		return fmt.Sprintf("%s is no %s", excerpt.Of(value), t)
	}
	return ""
}

// typeText is the name of a type in GraphML, GEXF and the headers of Neo4j.
func typeText(t Type) string {
	switch typeOr(t) {
	case Integer:
		return "long"
	case Float:
		return "double"
	case Boolean:
		return "boolean"
	}
	return "string"
}

func typeOr(t Type) Type {
	if t == Untyped {
		return Text
	}
	return t
}
