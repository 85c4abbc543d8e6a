//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"heavytail/query"
)

// writingStatements are statements that write a file, by the name of the statement.
func writingStatements() map[string][]string {
	return map[string][]string{
		"EXPORT GRAPH":     {"EXPORT GRAPH g INTO FILE 'g.graph'", "EXPORT GRAPH g INTO FILE 'g.parquet'", "EXPORT GRAPH g INTO FILE 'g.csv.gz'"}, // the first has a file of keys
		"EXPORT VERTICES":  {"EXPORT VERTICES OF g INTO FILE 'vertices.csv'"},
		"EXPORT WALKS":     {"EXPORT WALKS OF g USING deepwalk(walks := 1, length := 4) INTO FILE 'walks.txt'"},
		"EXPORT EMBEDDING": {"EXPORT EMBEDDING e INTO FILE 'e.npy'"},
		"EXPORT PAIRS":     {"EXPORT PAIRS OF g INTO FILE 'all.csv'"},
		"NEAREST":          {"NEAREST 2 FOR ALL USING e INTO FILE 'near.csv'"},
		"PREDICT":          {"PREDICT 2 LINKS FOR ALL IN g WITH l3 INTO FILE 'links.parquet'"},
		"RECONSTRUCT":      {"RECONSTRUCT e RADIUS 0.1 INTO FILE 'near.edges'"},
		"SCORE FILE":       {"SCORE FILE 'pairs.csv' IN g WITH l3 INTO FILE 'scores.csv'", "SCORE FILE 'pairs.csv' IN g WITH l3 INTO FILE 'scores.parquet'"},
		"BACKUP":           {"BACKUP INTO FILE 'backup.ht'"},
		"RECOVER":          {"RECOVER INTO FILE 'recovered.ht'"},
		"COMPACT":          {"COMPACT"},
		"INTO FILE":        {"SHOW VERTICES IN g INTO FILE 'rows.csv'", "SHOW GRAPHS INTO FILE 'rows.parquet'", "SHOW GRAPHS INTO FILE 'rows.md'"},
	}
}

// writingCommands are the calls of each command that write files; nil for commands that write
// none but FILE, of which "exec" is an example.
func writingCommands() map[string][][]string {
	one := func(args ...string) [][]string { return [][]string{args} }
	plot := func(args ...string) [][]string {
		var calls [][]string
		for _, ending := range []string{".svg", ".png", ".pdf"} {
			calls = append(calls, append([]string{"plot"}, append(args, "--out", "plot-"+args[0]+ending)...))
		}
		return calls
	}
	return map[string][][]string{
		"heavytail": nil, "heavytail check": nil, "heavytail describe": nil, "heavytail help": nil, "heavytail import": nil,
		"heavytail manual": nil, "heavytail stats": nil, "heavytail man": nil, // see TestMan_Modes
		"heavytail exec":    one("exec", "made.ht", "-c", "CREATE GRAPH g"),
		"heavytail demo":    one("demo", "--file", "demo.ht", "--vertices", "200", "--attach", "3", "--dim", "8"),
		"heavytail backup":  one("backup", "social.ht", "copy.ht"),
		"heavytail compact": one("compact", "social.ht"),
		"heavytail migrate": one("migrate", "social.ht"),
		"heavytail recover": one("recover", "social.ht", "saved.ht"),
		"heavytail export":  {{"export", "social.ht", "graph", "g", "exported.gexf"}, {"export", "social.ht", "embedding", "e", "exported.bin"}},
		"heavytail report":  one("report", "social.ht", "--skip", "links,embeddings,measures", "--bootstrap", "0", "--out", "page.html"),
		"heavytail score":   one("score", "social.ht", "--pairs", "pairs.csv", "--with", "l3", "--out", "scored.csv"),
		"heavytail serve":   one("serve", "served.ht", "--stdio", "--listen", "127.0.0.1:0", "--token-file", "token"),
		"heavytail shell":   one("shell", "shell.ht", "--no-init", "-f", "script"),

		"heavytail plot degrees":    plot("degrees", "social.ht", "g"),
		"heavytail plot graph":      plot("graph", "social.ht", "g"),
		"heavytail plot links":      plot("links", "social.ht", "g"),
		"heavytail plot parameters": plot("parameters", "social.ht", "g", "--vary", "dim=2,4"),
		"heavytail plot projection": plot("projection", "social.ht", "e"),
	}
}

// TestModes runs every statement and command that writes a file, under several umasks. Only
// the owner may read the files and enter the folders that it makes.
func TestModes(t *testing.T) {
	t.Parallel()
	statements, calls := writingStatements(), writingCommands()
	for _, h := range query.Helps() {
		if _, known := statements[h.Statement]; !known && strings.Contains(h.Syntax, "INTO FILE") {
			t.Errorf("statement %s writes a file, and has no case", h.Statement)
		}
	}
	var order [][]string
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		if path := cmd.CommandPath(); cmd.Runnable() && len(cmd.Commands()) == 0 || path == "heavytail" {
			list, known := calls[path]
			if !known && !strings.HasPrefix(path, "heavytail completion") {
				t.Errorf("command %s has no case", path)
			}
			order = append(order, list...)
		}
		for _, c := range cmd.Commands() {
			add(c)
		}
	}
	add(newRoot(streams{in: strings.NewReader(""), out: new(strings.Builder), err: new(strings.Builder)}, commands()))
	for _, list := range statements {
		order = append(order, []string{"exec", "social.ht", "-c", strings.Join(list, ";")})
	}
	script := ".output out.csv\nSHOW GRAPHS;\n.once once.md\nSHOW GRAPHS;\n.output dump.sql\n.dump\n.output -\n.plot degrees g --out shell.svg\n"
	for _, umask := range []string{"022", "077", "002"} {
		if testing.Short() && umask != "002" {
			continue // it allows most
		}
		t.Run(umask, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			given := map[string]string{"pairs.csv": "0,1\n2,3\n", "script": "GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO g;\n" + script}
			for name, text := range given {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "cache"), 0o700); err != nil {
				t.Fatal(err)
			}
			underUmask(t, umask, dir, "exec", "social.ht", "-c", "GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO g; UPDATE VERTEX '1' SET a := 1 IN g; EMBED g USING fastrp(dim := 4) AS e")
			for _, args := range order {
				underUmask(t, umask, dir, args...)
			}
			files := 0
			err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || path == dir {
					return err
				}
				info, err := entry.Info()
				if err != nil {
					return err
				}
				want := fs.FileMode(0o600)
				if entry.IsDir() {
					want = 0o700
				}
				if files++; info.Mode().Perm() != want {
					t.Errorf("%s has the mode %o, want %o", strings.TrimPrefix(path, dir), info.Mode().Perm(), want)
				}
				return nil
			})
			if err != nil || files < 50 {
				t.Errorf("%d files, %v", files, err)
			}
		})
	}
}

// underUmask runs the command in a folder with a umask, and expects that it succeeds.
func underUmask(t *testing.T, umask, dir string, args ...string) {
	t.Helper()
	of := child(t, args...)
	cmd := exec.Command("/bin/sh", append([]string{"-c", `umask ` + umask + ` && exec "$0" "$@"`, of.Path}, args...)...)
	cmd.Dir, cmd.Env = dir, append(of.Env, "HOME="+dir, "XDG_STATE_HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("heavytail %q: %v\n%s", args, err, out)
	}
}

// TestModes_Source finds places in the source that make files or folders with other modes,
// such as those of commands that TestModes cannot run.
func TestModes_Source(t *testing.T) {
	t.Parallel()
	other := regexp.MustCompile(`\b0o?[0-7]{3}\b|\bos\.(Create|ModePerm)\b`)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, root+string(filepath.Separator))
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || name == "cmd/paper/record"): // of the project, not of the program
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"), name == "cmd/heavytail/man.go":
			return nil
		}
		for i, line := range strings.Split(string(mustRead(t, path)), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if found := other.FindString(code); found != "" && found != "0o600" && found != "0o700" && strings.Contains(code, "os.") {
				t.Errorf("%s:%d: %s", name, i+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMan_Modes: man pages have no data and are for all users, as the umask allows.
func TestMan_Modes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	underUmask(t, "022", dir, "man", "pages")
	for name, want := range map[string]fs.FileMode{"pages/man1": 0o755, "pages/man1/heavytail.1": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
