package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query"
	language "heavytail/query/parser"
	"heavytail/query/vectors"
)

var update = flag.Bool("update", false, "rewrite the generated parts of manual/*.md")

// generatedPart matches a part of a page that is generated, with its name.
var generatedPart = regexp.MustCompile(`(?s)(<!-- generated: (\w+) -->\n).*?(<!-- end -->)`)

// TestManual_Generated compares the generated parts of the manual with the code:
// statements, options with their defaults, scorers, generators, errors and commands.
func TestManual_Generated(t *testing.T) {
	parts := map[string]func(*testing.T) string{
		"statements": statementsPart, "methods": methodsPart, "generators": generatorsPart, "scorers": scorersPart,
		"errors": errorsPart, "commands": commandsPart, "flags": flagsPart,
	}
	used := map[string]bool{}
	for _, name := range manualNames {
		path := filepath.Join("manual", name+".md")
		page := string(mustRead(t, path))
		now := generatedPart.ReplaceAllStringFunc(page, func(old string) string {
			match := generatedPart.FindStringSubmatch(old)
			part, known := parts[match[2]]
			if !known {
				t.Fatalf("%s: nothing generates %q", path, match[2])
			}
			used[match[2]] = true
			return match[1] + "\n" + strings.TrimSpace(part(t)) + "\n\n" + match[3]
		})
		if now == page {
			continue
		}
		if *update {
			if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s differs from the code:\n%s\nto rewrite it: go test ./cmd/heavytail -run Manual -update", path, firstDifference(page, now))
	}
	for name := range parts {
		if !used[name] {
			t.Errorf("no page has the generated part %q", name)
		}
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(was, now string) string {
	old, fresh := strings.Split(was, "\n"), strings.Split(now, "\n")
	for i := range min(len(old), len(fresh)) {
		if old[i] != fresh[i] {
			return fmt.Sprintf("line %d\n  page: %s\n  code: %s", i+1, old[i], fresh[i])
		}
	}
	return "one is longer"
}

func statementsPart(*testing.T) string {
	var b strings.Builder
	for _, h := range query.Helps() {
		fmt.Fprintf(&b, "### %s\n\n    %s\n\n%s\n", h.Statement, h.Syntax, sentence(h.About()))
		if h.Columns != "" {
			fmt.Fprintf(&b, "\nColumns: %s.\n", h.Columns)
		}
		writeOptions(&b, h.Options)
		fmt.Fprintf(&b, "\nExample: `%s`\n\n", h.Example)
	}
	return b.String()
}

func methodsPart(*testing.T) string {
	var b strings.Builder
	for _, m := range vectors.Methods() {
		fmt.Fprintf(&b, "### %s\n\n%s.\n", m.Name, sentence(m.Summary))
		writeOptions(&b, m.Options)
		b.WriteString("\n")
	}
	return b.String()
}

// generatorsPart reads the generators as users see them, from HELP.
func generatorsPart(t *testing.T) string {
	var b strings.Builder
	for line := range strings.Lines(mustRun(t, "", "exec", newFile(t), "--format", "tsv", "-c", "SHOW GENERATORS")) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if fields[0] == "generator" {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n", fields[0], sentence(fields[2]))
		for help := range strings.Lines(mustRun(t, "", "exec", newFile(t), "--format", "tsv", "-c", "HELP "+fields[0])) {
			if option, ok := strings.CutPrefix(help, "option "); ok {
				name, text, _ := strings.Cut(strings.TrimSpace(option), "\t")
				fmt.Fprintf(&b, "- `%s`: %s.\n", name, text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func scorersPart(t *testing.T) string {
	var b strings.Builder
	for line := range strings.Lines(mustRun(t, "", "exec", newFile(t), "--format", "tsv", "-c", "SHOW SCORERS")) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if fields[0] != "scorer" {
			fmt.Fprintf(&b, "- `%s` (reads the %s; a %s score is likelier): %s.\n", fields[0], fields[1], fields[2], fields[3])
		}
	}
	return b.String()
}

// errorPackages are the packages whose errors a program may want to distinguish.
var errorPackages = []string{"query/fault", "query/parser", "storage", "storage/atomicfile", "storage/format", "embedding", "embedding/link", "embedding/evaluate", "index"}

// errorsPart lists the errors of HELP ERRORS by package, and expects every exported
// error of the packages to be among them.
func errorsPart(t *testing.T) string {
	listed := map[string]bool{}
	var b strings.Builder
	last := ""
	for _, e := range query.Errors() {
		pkg, _, _ := strings.Cut(e.Name, ".")
		if pkg != last {
			fmt.Fprintf(&b, "### %s\n\n", pkg)
			last = pkg
		}
		listed[e.Name] = true
		fmt.Fprintf(&b, "- `%s`: “%v”. %s To do: %s.\n", e.Name, e.Err, e.Meaning, e.Remedy)
	}
	for _, pkg := range errorPackages {
		name := path.Base(pkg)
		found := sentinels(t, filepath.Join("..", "..", pkg))
		if len(found) == 0 {
			t.Errorf("package %s has no exported error", pkg)
		}
		for _, sentinel := range found {
			if !listed[name+"."+sentinel] {
				t.Errorf("query.Errors does not list %s.%s", name, sentinel)
			}
			delete(listed, name+"."+sentinel)
		}
	}
	for name := range listed {
		t.Errorf("query.Errors lists %s, which no package exports", name)
	}
	return b.String()
}

// sentinels returns the exported variables of a package that are made by
// errors.New.
func sentinels(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.VAR {
				continue
			}
			for _, s := range group.Specs {
				if v := s.(*ast.ValueSpec); madeByNew(v) && v.Names[0].IsExported() {
					found = append(found, v.Names[0].Name)
				}
			}
		}
	}
	return found
}

// madeByNew reports whether a variable is made by errors.New, or is a package's exported
// name for an error of one of its internal packages.
func madeByNew(v *ast.ValueSpec) bool {
	if len(v.Values) != 1 {
		return false
	}
	switch value := v.Values[0].(type) {
	case *ast.CallExpr:
		f, ok := value.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "New"
	case *ast.SelectorExpr:
		return value.Sel.Name == v.Names[0].Name && strings.HasPrefix(value.Sel.Name, "Err")
	}
	return false
}

// commandsPart lists the commands with what each does.
func commandsPart(*testing.T) string {
	var b strings.Builder
	for _, c := range allCommands(newRoot(streams{}, commands)) {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSuffix(c.UseLine(), " [flags]"), c.Short)
	}
	return b.String()
}

// allCommands returns the commands below root, without those that cobra adds.
func allCommands(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		list = append(append(list, c), allCommands(c)...)
	}
	return list
}

// flagsPart lists the flags of exec and the shell.
func flagsPart(*testing.T) string {
	return "```\n" + newExec(streams{}).Flags().FlagUsages() + "```"
}

// writeOptions lists options with type and default, as HELP does.
func writeOptions(b *strings.Builder, options []option.Info) {
	if len(options) > 0 {
		b.WriteString("\n")
	}
	for _, o := range options {
		kind := o.Type
		if o.Choices != nil {
			kind = strings.Join(o.Choices, ", ")
			if o.Type != "text" {
				kind = o.Type + ", " + kind
			}
		}
		given := "required"
		if o.Default != "" {
			given = "default `" + o.Default + "`"
		}
		fmt.Fprintf(b, "- `%s` (%s; %s): %s.\n", o.Name, kind, given, o.Doc)
	}
}

// TestManual_Environment expects the page of the command to list the variables of
// the environment that the program reads, and no other.
func TestManual_Environment(t *testing.T) {
	read := map[string]bool{}
	reads := regexp.MustCompile(`(?:[gG]etenv|[lL]ookup(?:Env)?)\("([A-Za-z_]+)"\)`)
	packages, _ := listPackages(t)
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, match := range reads.FindAllStringSubmatch(string(mustRead(t, path)), -1) {
				read[match[1]] = true
			}
		}
	}
	if got, want := manualList(t, "command", "## Environment", "- `(\\w+)`"), slices.Sorted(maps.Keys(read)); !slices.Equal(got, want) {
		t.Errorf("the manual lists the variables %v, and the program reads %v", got, want)
	}
}

// TestManual_ExitCodes compares the exit codes of the manual with the constants.
func TestManual_ExitCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "streams.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "exit") {
			codes = append(codes, v.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	slices.Sort(codes)
	if got := manualList(t, "command", "## Exit codes", "- `(\\d+)`"); len(codes) < 2 || !slices.Equal(got, codes) {
		t.Errorf("the manual lists the exit codes %v, and the program has %v", got, codes)
	}
}

// TestManual_Shell expects the manual and .help to list the same commands of the shell.
func TestManual_Shell(t *testing.T) {
	page := manualList(t, "shell", "## Commands", "- `(\\.\\w+)")
	for _, line := range strings.Split(mustRun(t, ".help\n", "exec", newFile(t)), "\n") {
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, ".") && !slices.Contains(page, name) {
			t.Errorf("the manual does not list %s", name)
		}
	}
	for _, name := range page {
		mustRun(t, ".help "+name+"\n", "exec", newFile(t))
	}
}

// manualList returns the names in the lines of one section of a page, sorted.
func manualList(t *testing.T, name, heading, pattern string) []string {
	t.Helper()
	page, err := manualPage(name)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(page, heading+"\n")
	if !found {
		t.Fatalf("page %s has no section %q", name, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var names []string
	for _, match := range regexp.MustCompile("(?m)^"+pattern).FindAllStringSubmatch(section, -1) {
		names = append(names, match[1])
	}
	slices.Sort(names)
	return names
}

// TestManual_Pages expects the command to print every page with its title and without
// comments, and every file of the manual to be in the list.
func TestManual_Pages(t *testing.T) {
	files, err := filepath.Glob("manual/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(manualNames) {
		t.Errorf("%d files for %d pages", len(files), len(manualNames))
	}
	index := mustRun(t, "", "manual")
	for _, name := range manualNames {
		page := mustRun(t, "", "manual", name)
		if !strings.HasPrefix(page, "# ") || strings.Contains(page, "<!--") {
			t.Errorf("page %s: %.80q", name, page)
		}
		if !strings.Contains(index, "\n  "+name+" ") {
			t.Errorf("the list of pages lacks %s:\n%s", name, index)
		}
	}
	if out := mustRun(t, ".manual jobs\n", "exec", newFile(t)); out != mustRun(t, "", "manual", "jobs") {
		t.Errorf(".manual jobs printed %q", out)
	}
	mustFail(t, exitUsage, []string{`no page "methds": did you mean methods?`}, "manual", "methds")
	if out := mustRun(t, "", "manual", "missing", "values"); !strings.Contains(out, "manual files") || !strings.Contains(out, "IMPORT") {
		t.Errorf("manual missing values found %q", out)
	}
}

// TestManual_Scan compares with the index what the manual says of searches that scan.
func TestManual_Scan(t *testing.T) {
	page, err := manualPage("answers")
	if err != nil {
		t.Fatal(err)
	}
	if index.ViewBudget(1_000_000, nil) != 10_000 || !strings.Contains(page, "more than a hundredth of the vectors") {
		t.Error("the manual names another share of the vectors from which a search scans")
	}
}

// TestManual_Limits compares the limits of the manual with the defaults of IMPORT.
func TestManual_Limits(t *testing.T) {
	page, err := manualPage("limits")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, o := range statementOptions("IMPORT") {
		limit, known := map[string]struct {
			value int64
			text  string
		}{
			"max_line": {1 << 20, "1 MiB"}, "max_key": {1024, "1,024 bytes"}, "max_bytes": {64 << 30, "64 GiB"},
		}[o.Name]
		if !known {
			continue
		}
		found++
		if o.Default != strconv.FormatInt(limit.value, 10) || !strings.Contains(page, limit.text) {
			t.Errorf("%s is %s by default, and the manual should say %s", o.Name, o.Default, limit.text)
		}
	}
	if found != 3 {
		t.Errorf("%d of 3 limits are options of IMPORT", found)
	}
}

// TestManual_Examples parses every statement in the SQL blocks of the manual, without
// running it.
func TestManual_Examples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```")
	count := 0
	for _, name := range manualNames {
		page, err := manualPage(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks.FindAllStringSubmatch(page, -1) {
			if _, err := language.ParseScript(block[1]); err != nil {
				t.Errorf("page %s: %v\n%s", name, err, block[1])
			}
			count++
		}
	}
	if count < 4 {
		t.Errorf("%d blocks of SQL in the manual", count)
	}
}

// TestManual_Tables runs the statements of the page on published tables on a split of three groups of vertices, one of
// which has test edges alone, and expects what adamic_adar has there by counting.
func TestManual_Tables(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 60
	random := rand.New(rand.NewPCG(4, 4))
	files := map[string]*strings.Builder{}
	write := func(name, format string, values ...any) {
		if files[name] == nil {
			files[name] = &strings.Builder{}
		}
		fmt.Fprintf(files[name], format+"\n", values...)
	}
	var train, test, none [][2]int
	write("vertices.csv", "id")
	for u := range n {
		write("vertices.csv", "%d", u)
		for v := range u {
			switch linked := u%3 == v%3 && random.IntN(3) == 0; {
			case linked && (random.IntN(8) == 0 || u == n-1):
				test = append(test, [2]int{u, v})
				write("test.txt", "%d %d", u, v)
			case linked:
				train = append(train, [2]int{u, v})
				write("train.txt", "%d %d", u, v)
			default:
				none = append(none, [2]int{u, v})
			}
		}
	}
	shared := none[:200]
	for _, e := range shared {
		write("shared.txt", "%d %d", e[0], e[1])
	}
	for i := range 20 * len(test) {
		e := none[random.IntN(len(none))]
		write("own.txt", "%d %d", e[i%2], e[1-i%2])
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page, err := manualPage("tables")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks", len(blocks))
	}
	out := mustRun(t, "", "exec", "tables.ht", "-c", blocks[0][1]+blocks[1][1])
	linked := [n][n]bool{}
	degree := [n]int{}
	for _, e := range train {
		linked[e[0]][e[1]], linked[e[1]][e[0]] = true, true
		degree[e[0]]++
		degree[e[1]]++
	}
	score := func(e [2]int) (sum float64) {
		for w := range n {
			if linked[e[0]][w] && linked[e[1]][w] {
				sum += 1 / math.Log(float64(degree[w]))
			}
		}
		return sum
	}
	mrr, auc := 0.0, 0.0
	for _, e := range test {
		rank := 1.0
		for _, other := range shared {
			switch a, b := score(e), score(other); {
			case math.Abs(a-b) < 1e-9:
				rank += 0.5
			case b > a:
				rank++
			}
		}
		mrr += 1 / rank / float64(len(test))
		auc += (float64(len(shared)) - rank + 1) / float64(len(shared)) / float64(len(test))
	}
	row := regexp.MustCompile(`(?m)^ adamic_adar +\| +([0-9.]+) \|(?: *[0-9.]+ \|){3} +([0-9.]+) `).FindStringSubmatch(out)
	if row == nil {
		t.Fatalf("no figures of adamic_adar:\n%s", out)
	}
	for i, want := range []float64{mrr, auc} {
		if got, err := strconv.ParseFloat(row[1+i], 64); err != nil || math.Abs(got-want) > 1e-5 {
			t.Errorf("figure %d of adamic_adar is %s, expected %v", i, row[1+i], want)
		}
	}
}
