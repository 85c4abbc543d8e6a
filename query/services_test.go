package query_test

import (
	"reflect"

	"heavytail/query"
)

// boundMethods returns the methods of a DB and of its services, by name.
func boundMethods(db *query.DB) map[string]reflect.Value {
	methods := map[string]reflect.Value{}
	all := reflect.ValueOf(db)
	for i := range all.NumMethod() {
		name, m := all.Type().Method(i).Name, all.Method(i)
		if t := m.Type(); t.NumIn() > 0 || t.NumOut() != 1 || t.Out(0).Kind() != reflect.Pointer {
			methods[name] = m
			continue
		}
		service := m.Call(nil)[0]
		for j := range service.NumMethod() {
			methods[name+"."+service.Type().Method(j).Name] = service.Method(j)
		}
	}
	return methods
}
