package main

import (
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
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
	"unicode"

	"heavytail/cmd/heavytail/manual"
	"heavytail/index"
	"heavytail/query"
	language "heavytail/query/parser"
	"heavytail/repl"
)

// errorPackages are the packages whose errors a program may want to distinguish.
var errorPackages = []string{"query/fault", "query/parser", "storage", "storage/atomicfile", "storage/format", "embedding", "embedding/link", "embedding/evaluate", "index"}

// TestManual_Errors expects every exported error of the packages to be in HELP ERRORS, from which the
// page of the errors is made, and no other.
func TestManual_Errors(t *testing.T) {
	listed := map[string]bool{}
	for _, e := range query.Errors() {
		listed[e.Name] = true
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
}

// TestManual_Reference expects each part of the reference on one page, and the names of all statements,
// methods, generators and scorers with their options there.
func TestManual_Reference(t *testing.T) {
	all := ""
	for _, name := range manual.Names() {
		page, err := manualPage(name)
		if err != nil {
			t.Fatal(err)
		}
		all += page
	}
	for _, want := range []string{
		"## CREATE INDEX\n", "- `ef_construction` (int; default `100`)", "### node2vec\n", "### vazquez\n", "- `l3` (reads the graph",
		"- `l2` (reads the embedding; a lower score", "## parser\n", "- `storage.ErrUnfreed`: “", "- `heavytail recover", "--keep-going",
	} {
		if strings.Count(all, want) != 1 {
			t.Errorf("the manual has %q %d times", want, strings.Count(all, want))
		}
	}
}

// wordsOfManual is the largest number of words of the manual: people read it. What is generated from the code
// or from measured figures is reference, and does not count.
const wordsOfManual = 15000

// TestManual_Words counts the words of the pages, which are what has a letter or a digit.
func TestManual_Words(t *testing.T) {
	table := regexp.MustCompile(`(?s)<!-- table: .*?<!-- end -->`)
	total, each := 0, ""
	for _, name := range manual.Names() {
		n := 0
		for word := range strings.FieldsSeq(table.ReplaceAllString(string(mustRead(t, filepath.Join("manual", name+".md"))), "")) {
			if strings.ContainsFunc(word, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
				n++
			}
		}
		total += n
		each += fmt.Sprintf(" %s %d,", name, n)
	}
	if t.Logf("%d words:%s", total, each); total > wordsOfManual {
		t.Errorf("the manual has %d words, at most %d are allowed:%s", total, wordsOfManual, each)
	}
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
	if len(files) != len(manual.Names()) {
		t.Errorf("%d files for %d pages", len(files), len(manual.Names()))
	}
	index := mustRun(t, "", "manual")
	for _, name := range manual.Names() {
		source := mustRun(t, "", "manual", name, "--markdown")
		if !strings.HasPrefix(source, "# ") || strings.Contains(source, "<!--") {
			t.Errorf("page %s: %.80q", name, source)
		}
		title, _, _ := strings.Cut(source[2:], "\n")
		if page := mustRun(t, "", "manual", name); !strings.HasPrefix(page, title+"\n====") || strings.Contains(page, "\n## ") {
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

// TestManual_Shown expects all pages to fit terminals of several widths, but for code and words that are wider, and
// the manual as HTML to be one whole document whose links lead to a place in it.
func TestManual_Shown(t *testing.T) {
	for _, name := range manual.Names() {
		for _, width := range []int{50, 80, 100} {
			page, err := manualText(name, repl.Terminal{Width: width})
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(page) {
				line = strings.TrimSuffix(line, "\n")
				table := strings.Contains(line, "  ") // as wide as the longest words of its cells
				if language.Width(line) > width && !table && strings.Contains(strings.TrimLeft(line, " -"), " ") {
					t.Errorf("page %s has %d columns of %d: %q", name, language.Width(line), width, line)
				}
			}
		}
	}
	html := mustRun(t, "", "manual", "--html")
	ids := map[string]bool{}
	var links []string
	for d := xml.NewDecoder(strings.NewReader(regexp.MustCompile("(?s)<script>.*</script>|<style>.*</style>|<!DOCTYPE html>").ReplaceAllString(html, ""))); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, is := token.(xml.StartElement)
		if !is {
			continue
		}
		for _, a := range element.Attr {
			switch {
			case a.Name.Local == "id" && ids[a.Value]:
				t.Errorf("the identifier %s is there twice", a.Value)
			case a.Name.Local == "id":
				ids[a.Value] = true
			case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
				links = append(links, a.Value[1:])
			}
		}
	}
	for _, link := range links {
		if !ids[link] {
			t.Errorf("a link leads to %s, which is not there", link)
		}
	}
	if len(links) < 150 || !ids["statements-nearest"] {
		t.Errorf("%d links", len(links))
	}
	mustFail(t, exitUsage, []string{"--html alone"}, "manual", "jobs", "--html")
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
	for _, name := range manual.Names() {
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
