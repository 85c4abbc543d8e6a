package main

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"testing"
)

// inner reports whether a package is one of the inner packages of query and storage/format.
func inner(path string) bool {
	return strings.HasPrefix(path, "heavytail/query/internal/") || strings.HasPrefix(path, "heavytail/storage/format/internal/")
}

// TestLayout_Aliases expects no public type of query or storage/format that is another name of an inner one, and no
// public struct with a public field of an inner type: go doc would hide what callers read and write.
func TestLayout_Aliases(t *testing.T) {
	packages, exports := listPackages(t)
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packages {
		if inner(p.ImportPath) || !strings.HasPrefix(p.ImportPath, "heavytail/query") && !strings.HasPrefix(p.ImportPath, "heavytail/storage/format") {
			continue
		}
		pkg, err := compiled.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			object, isType := pkg.Scope().Lookup(name).(*types.TypeName)
			if !isType || !object.Exported() {
				continue
			}
			if hidden := innerType(object.Type(), pkg); hidden != "" {
				t.Errorf("%s.%s is another name of %s", p.ImportPath, name, hidden)
			}
			fields, isStruct := object.Type().Underlying().(*types.Struct)
			for i := 0; isStruct && i < fields.NumFields(); i++ {
				f := fields.Field(i)
				if hidden := innerType(f.Type(), pkg); f.Exported() && hidden != "" {
					t.Errorf("%s.%s has the field %s of the type %s", p.ImportPath, name, f.Name(), hidden)
				}
			}
		}
	}
}

// innerType is the name of an inner type that a type of another package is or has as its element;
// "" for none.
func innerType(t types.Type, of *types.Package) string {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Named:
			if p := u.Obj().Pkg(); p != nil && p != of && inner(p.Path()) {
				return p.Path() + "." + u.Obj().Name()
			}
			return ""
		default:
			return ""
		}
	}
}
