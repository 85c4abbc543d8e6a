package main

import (
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query/parser"
	"heavytail/repl"
)

// marks are characters that a terminal, a browser or a reader of pictures would obey: C0 and
// C1 controls, marks of direction, separators of lines, and characters without a width.
const marks = "\x1b[31m\u0085\u009b\u00ad\u061c\u200b\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff"

// clean reports a line of an output that is not as parser.Escape would leave it.
func clean(t *testing.T, what, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", " ")
		if parser.Escape(line) != line {
			t.Errorf("%s: a line is not escaped: %q", what, line)
			return
		}
	}
}

// TestMarks puts control characters and marks of direction into keys, texts, and names of
// graphs, embeddings, models and attributes. Everything that is for people must escape them:
// tables of all forms, errors, notices, text plots, SVG and the report. Data stay as they are.
func TestMarks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "social.ht")
	// Names may have no control characters.
	name := "n" + strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, marks)
	key := "k" + marks
	graph, quoted := `"`+name+`"`, `'`+key+`'`
	setup := []string{
		"GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO " + graph,
		"INSERT EDGE (" + quoted + ", '0'), (" + quoted + ", '1') INTO " + graph,
		"UPDATE VERTICES IN " + graph + " SET " + graph + " := '" + key + "' WHERE degree > 2",
		"UPDATE VERTEX " + quoted + " SET " + graph + " := 'x" + key + "' IN " + graph,
		"EMBED " + graph + " USING fastrp(dim := 4) AS " + graph,
		"TRAIN MODEL " + graph + " IN " + graph + " USING heuristics(common_neighbors, l3)",
	}
	for _, statement := range setup {
		a := command(t, "", "exec", file, "-c", statement)
		if a.code != exitDone {
			t.Fatalf("%q: %s", statement, a.err)
		}
		clean(t, statement, a.out+a.err)
	}
	questions := []string{
		"SHOW GRAPHS", "SHOW EMBEDDINGS", "SHOW MODELS", "SHOW STATS", "SHOW ATTRIBUTES IN " + graph, "SHOW VERTICES IN " + graph + " ORDER BY key DESC LIMIT 3",
		"SHOW EDGES IN " + graph, "SHOW NEIGHBORS OF " + quoted + " IN " + graph, "DESCRIBE GRAPH " + graph, "DESCRIBE VERTEX " + quoted + " IN " + graph,
		"DESCRIBE EMBEDDING " + graph, "DESCRIBE MODEL " + graph, "COUNT VERTICES IN " + graph + " BY " + graph, "PATH FROM " + quoted + " TO '5' IN " + graph,
		"NEAREST 3 TO '0' USING " + graph, "PREDICT 3 LINKS FOR " + quoted + " IN " + graph + " WITH l3", "EXPLAIN NEAREST 3 TO " + quoted + " USING " + graph,
		"EXPLAIN SCORE (" + quoted + ", '5') IN " + graph + " WITH model(" + graph + ")", "EVALUATE LABELS '" + name + "' OF " + graph, "CHECK",
	}
	var answers strings.Builder
	for _, word := range repl.Formats() {
		form := repl.Format(word)
		data := form == repl.CSV || form == repl.TSV || form == repl.JSON || form == repl.NDJSON
		a := command(t, "", "exec", file, "--format", word, "-c", strings.Join(questions, ";"))
		if a.code != exitDone {
			t.Fatalf("%s: %s", form, a.err)
		}
		clean(t, word+", messages", a.err)
		answers.WriteString(a.out)
		if data {
			if form == repl.CSV && !strings.Contains(a.out, key) {
				t.Errorf("%s has not the key as it is", form)
			}
			continue
		}
		clean(t, word, a.out)
	}
	for _, wrong := range []string{
		"DESCRIBE VERTEX '" + key + "2' IN " + graph, "DESCRIBE GRAPH \"" + name + "2\"", "SHOW VERTICES IN " + graph + " WHERE \"" + name + "2\" = 1",
		"IMPORT '" + name + "' INTO " + graph, marks, "NEAREST " + marks, "NEAREST 3 TO '" + key + "2' USING " + graph,
		"CREATE GRAPH \"" + marks + "\"", "COMPUTE \"" + name + "\" IN " + graph, "EXPORT GRAPH " + graph + " INTO FILE '" + name + ".x" + name + "'",
	} {
		a := command(t, "", "exec", file, "-c", wrong)
		if a.code == exitDone {
			t.Errorf("%q: no error", wrong)
		}
		clean(t, "error of "+wrong, a.out+a.err)
	}
	out := filepath.Join(filepath.Dir(file), "out")
	for _, args := range [][]string{
		{"degrees", file, name}, {"projection", file, name, "--color", name}, {"projection", file, name}, {"graph", file, name, "--color", name},
		{"graph", file, name, "--around", key}, {"links", file, name}, {"parameters", file, name, "--vary", "dim=2,4"}, {"degrees", file, name, "--title", key},
	} {
		for _, ending := range []string{"", ".svg"} {
			args := append([]string{"plot"}, args...)
			if ending != "" {
				args = append(args, "--out", out+ending)
			}
			a := command(t, "", args...)
			if a.code != exitDone {
				t.Errorf("%q: %s", args, a.err)
				continue
			}
			clean(t, strings.Join(args, " "), a.out+a.err)
			if ending != "" {
				clean(t, strings.Join(args, " "), string(mustRead(t, out+ending)))
			}
		}
	}
	for _, args := range [][]string{
		{"report", file, "--bootstrap", "0", "--title", key, "--out", out + ".html"}, {"check", file}, {"stats", file}, {"describe", file, name}, {"recover", file, out + ".ht"},
		{"shell", file, "--no-init", "-f", "/dev/null"}, {"describe", file, name + "2"}, {"plot", "degrees", file, name + "2"}, {marks}, {"exec", file, "--" + marks}, {"exec", marks + "/x", "-c", "SHOW GRAPHS"},
	} {
		a := command(t, "", args...)
		clean(t, strings.Join(args, " "), a.out+a.err)
	}
	clean(t, "report", string(mustRead(t, out+".html")))
	script := ".schema\n.graphs\n.embeddings\n.tables\n.mode line\nSHOW VERTICES IN " + graph + " LIMIT 2;\n.param set x " + quoted + "\n.param list\n.nullvalue " + quoted + "\n.read '" + name + "'\n." + name + "\n"
	a := command(t, script, "shell", file, "--no-init")
	clean(t, "shell", a.out+a.err)
}
