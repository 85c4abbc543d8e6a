package query_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
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

// TestServices_Examples expects an example, which runs as a test, of each family.
func TestServices_Examples(t *testing.T) {
	all, families := reflect.TypeFor[*query.DB](), 0
	for i := range all.NumMethod() {
		m := all.Method(i).Type
		if m.NumIn() != 1 || m.NumOut() != 1 || m.Out(0).Kind() != reflect.Pointer || m.Out(0).Elem().Name() != "Service" {
			continue
		}
		families++
		family := path.Base(m.Out(0).Elem().PkgPath())
		if text, err := os.ReadFile(filepath.Join(family, "example_test.go")); !strings.Contains(string(text), "\nfunc ExampleService_") {
			t.Errorf("%s has no example: %v", family, err)
		}
	}
	if families != 7 {
		t.Errorf("%d families", families)
	}
}

// TestDB_Zero calls every method of a DB that was never opened.
func TestDB_Zero(t *testing.T) {
	t.Parallel()
	given := map[reflect.Type]any{
		reflect.TypeFor[context.Context]():         t.Context(),
		reflect.TypeFor[parser.Statement]():        &parser.Check{},
		reflect.TypeFor[io.Reader]():               strings.NewReader("a b\n"),
		reflect.TypeFor[func(*storage.Tx) error](): func(*storage.Tx) error { return errors.New("called") },
		reflect.TypeFor[string]():                  "CHECK",
		reflect.TypeFor[query.Request]():           query.Request{Source: parser.Source{Text: "CHECK"}},
	}
	closed := func(name string, err any) {
		if err, _ := err.(error); !errors.Is(err, fault.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	calls := 0
	for name, method := range boundMethods(new(query.DB)) {
		var args []reflect.Value
		withContext := false
		for j := range method.Type().NumIn() {
			in := method.Type().In(j)
			if method.Type().IsVariadic() && j == method.Type().NumIn()-1 {
				break
			}
			arg := reflect.Zero(in)
			if value, ok := given[in]; ok {
				arg = reflect.ValueOf(value)
			}
			args = append(args, arg)
			withContext = withContext || in == reflect.TypeFor[context.Context]()
		}
		results := method.Call(args)
		if !withContext {
			continue
		}
		calls++
		last := results[len(results)-1]
		if last.Kind() != reflect.Func {
			closed(name, last.Interface())
			continue
		}
		rows := 0
		for _, err := range last.Seq2() {
			rows++
			closed(name, err.Interface())
		}
		if rows != 1 {
			t.Errorf("%s: %d rows", name, rows)
		}
	}
	if calls < 70 {
		t.Errorf("only %d methods take a context", calls)
	}
	var db query.DB
	if err := db.Close(); err != nil || db.Path() != "" || db.ReadOnly() || db.Notices() != nil || db.Jobs().Active() != nil {
		t.Error(err, db.Path(), db.ReadOnly())
	}
}
