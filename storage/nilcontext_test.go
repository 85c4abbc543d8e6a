package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"heavytail/storage/vec"
)

// contextType is the type of the first parameter of the methods that take a context.
var contextType = reflect.TypeFor[context.Context]()

// callAll calls a function with a nil context and with arguments from a table of values by
// their types; with every combination of texts where it takes any. It reports panics.
func callAll(t *testing.T, name string, f reflect.Value, texts []string, values map[reflect.Type]reflect.Value) (calls int) {
	t.Helper()
	kind := f.Type()
	var places []int // of texts
	args := make([]reflect.Value, kind.NumIn())
	for i := range args {
		in := kind.In(i)
		switch value, known := values[in]; {
		case in == contextType:
			args[i] = reflect.Zero(in)
		case in.Kind() == reflect.String:
			places = append(places, i)
		case known:
			args[i] = value
		case in.Kind() == reflect.Func:
			args[i] = reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
				out := make([]reflect.Value, in.NumOut())
				for j := range out {
					out[j] = reflect.Zero(in.Out(j))
				}
				return out
			})
		default:
			args[i] = reflect.Zero(in)
		}
	}
	combinations := 1
	for range places {
		combinations *= len(texts)
	}
	for n := range combinations {
		rest, chosen := n, []string{}
		for _, i := range places {
			args[i] = reflect.ValueOf(texts[rest%len(texts)]).Convert(kind.In(i))
			chosen = append(chosen, texts[rest%len(texts)])
			rest /= len(texts)
		}
		func() {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s%q: panic: %v\n%s", name, chosen, what, lastFrames())
				}
			}()
			if kind.IsVariadic() {
				f.CallSlice(args)
			} else {
				f.Call(args)
			}
		}()
		calls++
	}
	return calls
}

// lastFrames is where a panic came from.
func lastFrames() string {
	_, trace, _ := strings.Cut(string(debug.Stack()), "panic(")
	lines := strings.Split(trace, "\n")
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

// TestDB_NilContext calls every method and function of the package that takes a context with a
// nil one, which counts as context.Background.
func TestDB_NilContext(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	t.Chdir(dir) // some texts are names of files, too
	base := filepath.Join(dir, "base")
	db := openStore(t, base, nil)
	importText(t, db, "g", "a b\nb c\n")
	info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "g", Graph: "g", GraphVersion: 1}, constantRows(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	job := JobInfo{ID: 1, State: JobFailed, Statement: "EMBED"}
	if err := db.PutJobCheckpoint(ctx, job, func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }); err != nil {
		t.Fatal(err)
	}
	snapshot, err := db.Snapshot(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	lists, err := db.Lists(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"g", "a", "gone", filepath.Join(dir, "new")}
	values := map[reflect.Type]reflect.Value{
		reflect.TypeFor[EmbeddingInfo](): reflect.ValueOf(info), reflect.TypeFor[*vec.Matrix](): reflect.ValueOf(constantRows(3, 2)),
		reflect.TypeFor[JobInfo](): reflect.ValueOf(job), reflect.TypeFor[uint64](): reflect.ValueOf(uint64(1)), reflect.TypeFor[int](): reflect.ValueOf(2),
		reflect.TypeFor[io.Reader](): reflect.ValueOf(strings.NewReader("c d\n")), reflect.TypeFor[*Snapshot](): reflect.ValueOf(snapshot),
		reflect.TypeFor[bool](): reflect.ValueOf(true),
	}
	methods := 0
	of := reflect.TypeFor[*DB]()
	for i := range of.NumMethod() {
		m := of.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != contextType {
			continue
		}
		methods++
		path := filepath.Join(dir, fmt.Sprint("store", i))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		db := openStore(t, path, nil)
		callAll(t, m.Name, reflect.ValueOf(db).Method(i), texts, values)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if methods < 50 {
		t.Errorf("only %d methods", methods)
	}
	for name, f := range map[string]any{"Recover": Recover, "Lists.Each": lists.Each} {
		callAll(t, name, reflect.ValueOf(f), append(texts, base), values)
	}
}

// A negative number of things to return is an error, and does not stand for all of them.
func TestDB_NegativeLimits(t *testing.T) {
	t.Parallel()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\n")
	if keys, err := db.Keys(t.Context(), "g", "", -1); !errors.Is(err, ErrInvalid) {
		t.Errorf("keys %q, %v", keys, err)
	}
	if keys, err := db.Keys(t.Context(), "g", "", 0); err != nil || len(keys) != 3 {
		t.Errorf("keys %q, %v", keys, err)
	}
	if _, err := db.Predicted(t.Context(), "g", "l3", "a", -1); !errors.Is(err, ErrInvalid) {
		t.Errorf("links: %v", err)
	}
}
