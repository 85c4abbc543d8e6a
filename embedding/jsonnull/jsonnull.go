// Package jsonnull writes structs as JSON in which a float that is not finite is null.
// JSON has no other way to write it, and encoding/json refuses it.
package jsonnull

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
)

// Marshal writes a struct as encoding/json does, in the order of its fields and with
// the names of their tags, but for floats that are not finite, which become null, and
// errors, which become their text. It ignores methods of the struct and of embedded
// structs: a MarshalJSON that calls it is not called again, and embedding a struct that
// has one does not hide the other fields.
func Marshal(of any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	if err := fields(&b, reflect.ValueOf(of)); err != nil {
		return nil, err
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func fields(b *bytes.Buffer, of reflect.Value) error {
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if err := fields(b, value); err != nil {
				return err
			}
			continue
		}
		if !field.IsExported() || name == "-" || options == "omitempty" && value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		text, err := json.Marshal(plain(value))
		if err != nil {
			return err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(text)
	}
	return nil
}

// plain is the value of a field as encoding/json can write it.
func plain(value reflect.Value) any {
	switch x := value.Interface().(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case error:
		return x.Error()
	}
	return value.Interface()
}

// Unmarshal reads into the struct that of points to what Marshal has written: null is
// NaN where a float belongs, and a text becomes an error where an error does. As Marshal
// it ignores methods of the struct and of embedded structs, and fields that are missing
// keep their values.
func Unmarshal(text []byte, of any) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	return readFields(object, reflect.ValueOf(of).Elem())
}

func readFields(object map[string]json.RawMessage, of reflect.Value) error {
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if err := readFields(object, value); err != nil {
				return err
			}
			continue
		}
		text, given := object[name]
		if !field.IsExported() || name == "-" || !given {
			continue
		}
		if err := readField(text, value.Addr().Interface()); err != nil {
			return err
		}
	}
	return nil
}

// readField reads what plain has made of a field.
func readField(text []byte, into any) error {
	null := string(text) == "null"
	switch into := into.(type) {
	case *float64:
		if null {
			*into = math.NaN()
			return nil
		}
	case *error:
		var message string
		err := json.Unmarshal(text, &message)
		if *into = nil; err == nil && !null {
			*into = errors.New(message)
		}
		return err
	}
	return json.Unmarshal(text, into)
}
