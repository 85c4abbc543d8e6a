package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// commandEnv names a built heavytail for the tour of the README; without it the
// test binary serves as the command.
const commandEnv = "HEAVYTAIL_COMMAND"

// TestReadme_Tour runs every block of the README's tour, in order, in an empty
// folder, and compares what it prints with the block of text behind it.
func TestReadme_Tour(t *testing.T) {
	t.Parallel()
	if os.Getenv(commandEnv) == "" {
		t.Skip("the step tour of .ci/run runs the tour, with the built command")
	}
	ran, compared, folder := runBlocks(t, "../../README.md", readmeBlocks(t, "## A tour", "## From Go"))
	if ran < 5 || compared < 4 {
		t.Errorf("the tour has %d blocks that run, and %d are compared", ran, compared)
	}
	comparePictures(t, filepath.Join("../..", ".github", "degrees.svg"), filepath.Join(folder, "degrees.svg"))
}

// TestManual_Tasks runs the pages of the manual that begin with what somebody wants to do, as the tour of the
// README is run.
func TestManual_Tasks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: some seconds, most of them for a program that is built")
	}
	for _, name := range []string{"networkx", "gds", "node2vec", "go", "figures"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("manual", name+".md")
			blocks := fencedBlocks(t, path, func(string) bool { return true })
			if slices.ContainsFunc(blocks, func(b readmeBlock) bool { return b.kind == "python" }) && exec.Command(python, "-c", "import networkx, gensim").Run() != nil {
				t.Skip("networkx or gensim is not there: the step install of .ci/run installs them")
			}
			if ran, compared, _ := runBlocks(t, path, blocks); ran < 2 || compared < 1 {
				t.Errorf("%d blocks run, and %d are compared", ran, compared)
			}
		})
	}
}

// python is that of the system, which has the packages.
const python = "/usr/bin/python3"

var firstStore = regexp.MustCompile(`\w+\.ht\b`)

// runBlocks runs blocks of a document in order, in an empty folder, and compares what each prints with the
// block of text behind it. It returns how many ran and were compared, and the folder.
//
// A block of sh is a script for the shell of the system. A block of sql is run by heavytail exec on the first
// file that a block of sh names. A block marked "sql fails" must fail, and the text after it is what it
// prints on standard error. A block of go is a program, which is also left as main.go, and other blocks are not
// run. CHECKOUT is the folder of the module.
func runBlocks(t *testing.T, path string, blocks []readmeBlock) (ran, compared int, folder string) {
	if runtime.GOOS == "windows" {
		t.Skip("written for a POSIX shell")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	commands := commandFolder(t)
	env := append(os.Environ(), childEnv+"=1", "GOCOVERDIR="+t.TempDir(), "CHECKOUT="+root, "PATH="+commands+string(os.PathListSeparator)+os.Getenv("PATH"))
	printed, store := "", ""
	for _, b := range blocks {
		var c *exec.Cmd
		fails := false
		switch b.kind {
		case "sh":
			if store == "" {
				store = firstStore.FindString(b.text)
			}
			c = exec.CommandContext(t.Context(), "sh", "-eu", "-c", b.text)
		case "sql", "sql fails":
			fails = b.kind != "sql"
			c = exec.CommandContext(t.Context(), filepath.Join(commands, "heavytail"), "exec", store, "--no-create")
			c.Stdin = strings.NewReader(b.text)
		case "python":
			c = exec.CommandContext(t.Context(), python, "-c", b.text)
		case "go":
			if !strings.HasPrefix(b.text, "package main") {
				continue
			}
			program := filepath.Join(folder, "main.go")
			mustWrite(t, program, []byte(b.text))
			built := filepath.Join(t.TempDir(), "program")
			build := exec.CommandContext(t.Context(), "go", "build", "-o", built, program)
			build.Dir = root
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s, line %d: %v\n%s", path, b.line, err, out)
			}
			c = exec.CommandContext(t.Context(), built)
		case "text":
			compared++
			if problem := tourDifference(b.text, printed); problem != "" {
				t.Errorf("%s, line %d: %s; printed was\n%s", path, b.line, problem, printed)
			}
			continue
		default:
			continue
		}
		var out, problems bytes.Buffer
		c.Dir, c.Env, c.Stdout, c.Stderr = folder, env, &out, &problems
		err := c.Run()
		var exit *exec.ExitError
		if fails && errors.As(err, &exit) && exit.ExitCode() == exitFailed {
			printed = problems.String()
		} else if err != nil || fails {
			t.Fatalf("%s, line %d: %v, expected to fail: %t\n%s%s", path, b.line, err, fails, out.String(), problems.String())
		} else {
			printed = out.String()
		}
		ran++
	}
	return ran, compared, folder
}

// comparePictures expects the picture of the README to be the one that the tour has drawn: the same
// texts and shapes, with shapes at most a tenth of a point apart, because processors round
// differently.
func comparePictures(t *testing.T, shown, drawn string) {
	t.Helper()
	if problem := pictureDifference(string(mustRead(t, shown)), string(mustRead(t, drawn))); problem != "" {
		t.Errorf("%s is not what the tour draws: %s: copy %s there", shown, problem, drawn)
	}
}

var coordinate = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// pictureDifference returns the first difference of two SVG files, or "". Only the coordinates of
// paths may differ, by at most a tenth.
func pictureDifference(shown, drawn string) string {
	want, got := strings.Split(shown, "\n"), strings.Split(drawn, "\n")
	if len(want) != len(got) {
		return fmt.Sprintf("%d lines, drawn are %d", len(want), len(got))
	}
	for i, line := range want {
		if line == got[i] {
			continue
		}
		a, b := coordinate.FindAllString(line, -1), coordinate.FindAllString(got[i], -1)
		near := strings.HasPrefix(line, "<path d=") && coordinate.ReplaceAllString(line, "0") == coordinate.ReplaceAllString(got[i], "0")
		for j := 0; near && j < len(a); j++ {
			x, errX := strconv.ParseFloat(a[j], 64)
			y, errY := strconv.ParseFloat(b[j], 64)
			near = errX == nil && errY == nil && math.Abs(x-y) <= 0.1
		}
		if !near {
			return fmt.Sprintf("line %d is %q, drawn is %q", i+1, line, got[i])
		}
	}
	return ""
}

// TestReadme_Pictures tests pictureDifference.
func TestReadme_Pictures(t *testing.T) {
	const picture = "<svg>\n<path d=\"M419.08,274.99L416.27,270\" />\n<text x=\"10\">exponent 2.89</text>\n</svg>\n"
	for _, c := range []struct {
		shown, drawn string
		same         bool
	}{
		{"M419", "M419", true},
		{"274.99", "274.96", true},
		{"416.27", "416.3", true},
		{"274.99", "275.2", false},
		{"416.27,270", "416.27", false},
		{"x=\"10\"", "x=\"10.01\"", false},
		{"exponent 2.89", "exponent 2.9", false},
		{"<text x=\"10\">exponent 2.89</text>\n", "", false},
	} {
		if problem := pictureDifference(picture, strings.Replace(picture, c.shown, c.drawn, 1)); (problem == "") != c.same {
			t.Errorf("%q in place of %q: %q", c.drawn, c.shown, problem)
		}
	}
}

// commandFolder returns a folder with the command, as the file heavytail.
func commandFolder(t *testing.T) string {
	t.Helper()
	command := os.Getenv(commandEnv)
	if command == "" {
		var err error
		if command, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	if err := os.Symlink(command, filepath.Join(folder, "heavytail")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// readmeBlock is a fenced block of a document.
type readmeBlock struct {
	kind, text string
	line       int
}

// readmeBlocks returns the fenced blocks of some sections of the README, in order.
func readmeBlocks(t *testing.T, headings ...string) []readmeBlock {
	t.Helper()
	found := map[string]bool{}
	blocks := fencedBlocks(t, "../../README.md", func(heading string) bool {
		wanted := slices.Contains(headings, heading)
		if wanted {
			found[heading] = true
		}
		return wanted
	})
	if len(found) != len(headings) {
		t.Fatalf("README.md has %d of the sections %q", len(found), headings)
	}
	return blocks
}

// fencedBlocks returns the fenced blocks of a document, in order, in the sections whose headings are wanted;
// what is before all of them has the heading "".
func fencedBlocks(t *testing.T, path string, wanted func(heading string) bool) []readmeBlock {
	t.Helper()
	var blocks []readmeBlock
	in, fenced := wanted(""), false
	for i, line := range strings.Split(string(mustRead(t, path)), "\n") {
		switch kind, fence := strings.CutPrefix(line, "```"); {
		case fence && !fenced:
			fenced = true
			if in {
				blocks = append(blocks, readmeBlock{kind: kind, line: i + 1})
			}
		case fence:
			fenced = false
		case fenced && in:
			blocks[len(blocks)-1].text += line + "\n"
		case !fenced && strings.HasPrefix(line, "## "):
			in = wanted(line)
		}
	}
	return blocks
}

// tourDifference compares the text of the README with the printed text, line by line and
// word by word, and returns the first difference, or "". Blank lines and the lines of
// tables do not count. Texts and integers must be equal. Other numbers may differ by one in the last
// digit that is shown, since processors round differently. An ellipsis (…) at the end of a line matches
// any rest of the line; a line with nothing but an ellipsis matches any number of lines.
func tourDifference(shown, printed string) string {
	want, got := tourLines(shown), tourLines(printed)
	for len(want) > 0 {
		if want[0] == "…" {
			if want = want[1:]; len(want) == 0 {
				return ""
			}
			for len(got) > 0 && !sameLine(want[0], got[0]) {
				got = got[1:]
			}
		}
		if len(got) == 0 {
			return "missing: " + want[0]
		}
		if !sameLine(want[0], got[0]) {
			return "expected " + strconv.Quote(want[0]) + ", found " + strconv.Quote(got[0])
		}
		want, got = want[1:], got[1:]
	}
	if len(got) > 0 {
		return "not shown: " + got[0]
	}
	return ""
}

var tableRule = regexp.MustCompile(`^[-+ ]+$`)

func tourLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !tableRule.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func sameLine(want, got string) bool {
	a, b := strings.Fields(want), strings.Fields(got)
	for i, w := range a {
		if begin, rest := strings.CutSuffix(w, "…"); rest && i == len(a)-1 && (begin == "" || i < len(b) && strings.HasPrefix(b[i], begin)) {
			return true
		}
		if i >= len(b) || !sameWord(w, b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func sameWord(want, got string) bool {
	if want == got {
		return true
	}
	x, errX := strconv.ParseFloat(want, 64)
	y, errY := strconv.ParseFloat(got, 64)
	at := strings.IndexByte(want, '.')
	if errX != nil || errY != nil || at < 0 || strings.Contains(want, "e") {
		return false
	}
	const rounding = 1e-6 // of the subtraction, in units of the last digit
	return math.Abs(x-y) <= (1+rounding)*math.Pow10(at+1-len(want))
}

// TestReadme_Comparison tests tourDifference.
func TestReadme_Comparison(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		same           bool
	}{
		{"a | 0.50\n", " a  |  0.51 \n\n", true},
		{"a | 0.50\n", "a | 0.49\n", true},
		{"a | 0.50\n", "a | 0.515\n", false},
		{"a | 0.997778\n", "a | 0.986111\n", false},
		{"a | 17.6059\n", "a | 17.606\n", true},
		{"a | 17.6059\n", "a | 17.6061\n", false},
		{"a | 12", "a | 13", false},
		{"a | 12000", "a | 12001", false},
		{"a | 1e-05", "a | 2e-05", false},
		{"a\n---+---\nb", "a\n-----+--\nb", true},
		{"a …", "a b c", true},
		{"a …", "b b c", false},
		{"a b,…", "a b,c d", true},
		{"a b,…", "a c,b d", false},
		{"…\nc", "a\nb\nc", true},
		{"…\nd", "a\nb\nc", false},
		{"a\n…", "a\nb", true},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"a b", "a", false},
	} {
		if problem := tourDifference(c.shown, c.printed); (problem == "") != c.same {
			t.Errorf("%q shown, %q printed: %q", c.shown, c.printed, problem)
		}
	}
}

// TestReadme_Length keeps the README short: reference belongs in the manual.
func TestReadme_Length(t *testing.T) {
	if n := bytes.Count(mustRead(t, "../../README.md"), []byte("\n")); n > 250 {
		t.Errorf("README.md has %d lines, at most 250 are allowed", n)
	}
}

// CI reads the command that runs all tests from this block of the README.
func TestReadme_Commands(t *testing.T) {
	for _, b := range readmeBlocks(t, "## Two commands") {
		if b.text == "go run ./cmd/heavytail demo\ngo test ./...\n" {
			return
		}
	}
	t.Error("README.md has no block with the two commands")
}

// TestReadme_Files expects every file and folder that documents link to or name in
// backquotes with a path to be there.
func TestReadme_Files(t *testing.T) {
	links := regexp.MustCompile("\\]\\(([^)#:]+)\\)|`((?:\\.ci|\\.github|cmd|embedding|index|query|repl|storage)/[\\w./-]*)`")
	for _, document := range []string{"README.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md", "cmd/paper/BENCHMARKS.md"} {
		path := filepath.Join("../..", document)
		for _, match := range links.FindAllStringSubmatch(string(mustRead(t, path)), -1) {
			named := filepath.Join("../..", match[2])
			if match[1] != "" {
				named = filepath.Join(filepath.Dir(path), match[1])
			}
			if _, err := os.Stat(named); err != nil {
				t.Errorf("%s names %s: %v", document, match[0], err)
			}
		}
	}
}
