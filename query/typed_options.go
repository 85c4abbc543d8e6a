package query

import (
	"reflect"
	"strconv"
	"strings"

	"heavytail/query/internal/bind"
)

// This file reads structs of options, MethodOptions and GeneratorOptions. The tag of a
// field is the name of its option.

// givenBy lists the options that a struct sets, in the order of its fields: those that
// are not zero or nil, and those without a default in the table.
func givenBy(options any, table []OptionInfo) []bind.Given {
	required := map[string]bool{}
	for _, o := range table {
		required[o.Name] = o.Default == ""
	}
	var list []bind.Given
	fields := reflect.Indirect(reflect.ValueOf(options))
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("option")
		if field := fields.Field(i); required[name] || !field.IsZero() {
			list = append(list, bind.Given{Name: name, Value: explicit(field)})
		}
	}
	return list
}

// isNil reports whether options are a nil pointer to a struct.
func isNil(options any) bool {
	v := reflect.ValueOf(options)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// explicit is the value of a field that is set, as the table of options takes it.
func explicit(field reflect.Value) any {
	if word, ok := field.Interface().(interface{ option() any }); ok { // a number or a word
		return word.option()
	}
	switch field.Kind() {
	case reflect.Pointer:
		return explicit(field.Elem())
	case reflect.Float64:
		return field.Float()
	case reflect.String:
		return field.String()
	case reflect.Bool: // of options that are true by default
		return !field.Bool()
	case reflect.Uint64: // seeds, which a statement writes as signed integers with the same bits
		return int64(field.Uint())
	case reflect.Slice:
		return listText(field)
	}
	return field.Int()
}

// listText writes a list of numbers in the form of options, such as "100,200", and a
// list of lists as "0.1,0.2;0.2,0.1".
func listText(list reflect.Value) string {
	separator, parts := ",", make([]string, list.Len())
	for i := range parts {
		switch e := list.Index(i); e.Kind() {
		case reflect.Slice:
			separator, parts[i] = ";", listText(e)
		case reflect.Float64:
			parts[i] = strconv.FormatFloat(e.Float(), 'g', -1, 64)
		default:
			parts[i] = strconv.FormatInt(e.Int(), 10)
		}
	}
	return strings.Join(parts, separator)
}
