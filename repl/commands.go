package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// This file implements the commands, in the order of their table.

// text runs a statement for a command. The last statement of the user, which .edit
// opens, stays the same.
func (s *session) text(ctx context.Context, statement string) error {
	defer func(last string) { s.last = last }(s.last)
	err := s.statement(ctx, parser.Source{Text: statement})
	if mistake := (*fault.Error)(nil); errors.As(err, &mistake) {
		here := *mistake
		here.Range = parser.Range{} // a place in a text that the user did not write
		return &here
	}
	return err
}

// say writes a line of a command's answer to the output of results.
func (s *session) say(format string, args ...any) error {
	fmt.Fprintln(s.out, parser.Escape(fmt.Sprintf(format, args...)))
	return s.flush()
}

// manual shows a page of the manual of the program.
func (s *session) manual(_ context.Context, args []word) error {
	if s.config.Manual == nil {
		return errors.New("this program has no manual")
	}
	name := ""
	if len(args) > 0 {
		name = args[0].text
	}
	on := Terminal{} // of .output, a file
	if s.file == nil {
		on = Detect(s.config.Out, os.Getenv)
	}
	page, err := s.config.Manual(name, on)
	if err != nil {
		return err
	}
	_, err = s.paged(func() error {
		_, _ = s.out.WriteString(page) // the error of a bufio.Writer stays until Flush
		return s.out.Flush()
	})
	return err
}

// tables lists the graphs and the embeddings.
func (s *session) tables(ctx context.Context, _ []word) error {
	if err := s.text(ctx, "SHOW GRAPHS"); err != nil {
		return err
	}
	return s.text(ctx, "SHOW EMBEDDINGS")
}

// schema lists size, attributes and embeddings of each graph, or of one graph.
func (s *session) schema(ctx context.Context, args []word) error {
	graphs, err := entriesOf(ctx, s.config.DB, parser.Graphs, "graph", "vertices", "edges")
	if err != nil {
		return err
	}
	embeddings, err := entriesOf(ctx, s.config.DB, parser.Embeddings, "embedding", "method", "dim", "graph")
	if err != nil {
		return err
	}
	t := &table{columns: []string{"graph", "vertices", "edges", "attributes", "embeddings"}}
	var names []string
	for _, g := range graphs {
		name := g[0].(string)
		names = append(names, name)
		if len(args) > 0 && args[0].text != name {
			continue
		}
		all, err := attributesOf(ctx, s.config.DB, parser.Ident{Name: name})
		if err != nil {
			return err
		}
		var attributes, on []string
		for _, a := range all {
			attributes = append(attributes, fmt.Sprintf("%v %v", a...))
		}
		for _, e := range embeddings {
			if e[3] == g[0] {
				on = append(on, fmt.Sprintf("%v (%v, %v)", e[:3]...))
			}
		}
		t.lines = append(t.lines, []rows.Value{g[0], g[1], g[2], strings.Join(attributes, ", "), strings.Join(on, ", ")})
	}
	if len(args) > 0 && len(t.lines) == 0 {
		return unknown("graph", args[0].text, names)
	}
	return s.write(t)
}

// unknown is the error for a name that does not exist.
func unknown(what, name string, names []string) error {
	if near, ok := parser.Suggest(name, names); ok {
		return fmt.Errorf("unknown %s %q: did you mean %q?", what, name, near)
	}
	return fmt.Errorf("unknown %s %q", what, name)
}

// mostPlotted is how many graphs .plot draws together: as many as lines of text have marks for.
const mostPlotted = 8

// plot calls Config.Plot, for the kind degrees if the arguments begin with no kind.
func (s *session) plot(ctx context.Context, args []word) error {
	if s.config.Plot == nil {
		return errors.New("this program draws no plots")
	}
	var names []string
	for _, a := range args {
		names = append(names, a.text)
	}
	if len(args) == 0 || args[0].quoted || !slices.Contains(s.config.Plots, args[0].text) {
		if len(names) == 0 {
			all, err := graphNames(ctx, s.config.DB)
			if err != nil {
				return err
			}
			if len(all) == 0 || len(all) > mostPlotted {
				return fmt.Errorf("the file has %d graphs: name up to %d to plot", len(all), mostPlotted)
			}
			names = all
		} else if len(names) > mostPlotted {
			return fmt.Errorf("%d graphs are too many to distinguish: name up to %d to plot", len(names), mostPlotted)
		}
		names = append([]string{"degrees"}, names...)
	}
	s.config.Status.Clear()
	if err := s.config.Plot(ctx, s.out, names); err != nil {
		return err
	}
	return s.flush()
}

func (s *session) mode(_ context.Context, args []word) error {
	if len(args) == 0 {
		mode := cmp.Or(s.format, Table)
		return s.say("mode is %s; there are %s", mode, strings.Join(Formats(), ", "))
	}
	format, err := ParseFormat(args[0].text)
	if err != nil {
		return err
	}
	s.format, s.usual = format, format // after .once the last word counts
	s.newRenderer()
	return nil
}

func (s *session) setColumns(_ context.Context, args []word) error {
	switch {
	case len(args) == 0 && s.shown == nil:
		return s.say("all columns are shown")
	case len(args) == 0:
		return s.say("the columns shown are %s", strings.Join(s.shown, ", "))
	}
	s.shown = nil
	if len(args) == 1 && args[0].text == "all" && !args[0].quoted {
		return nil
	}
	for _, a := range args {
		if a.quoted {
			s.shown = append(s.shown, a.text)
			continue
		}
		s.shown = append(s.shown, strings.FieldsFunc(a.text, func(c rune) bool { return c == ',' })...)
	}
	return nil
}

func (s *session) setTimer(_ context.Context, args []word) error {
	return s.toggle("timer", &s.timer, args)
}

func (s *session) setPager(_ context.Context, args []word) error {
	if s.pager == nil {
		return errors.New("there is no pager: set PAGER, or install less")
	}
	return s.toggle("pager", &s.pager.on, args)
}

// toggle shows or sets a setting that is on or off.
func (s *session) toggle(name string, flag *bool, args []word) error {
	if len(args) > 0 {
		switch strings.ToLower(args[0].text) {
		case "on":
			*flag = true
		case "off":
			*flag = false
		default:
			return fmt.Errorf("expected .%s on or .%s off", name, name)
		}
		return nil
	}
	state := "off"
	if *flag {
		state = "on"
	}
	return s.say("%s is %s", name, state)
}

func (s *session) output(_ context.Context, args []word) error {
	if err := s.endOnce(); err != nil {
		return err
	}
	if len(args) == 0 || args[0].text == "-" && !args[0].quoted {
		return nil
	}
	name := args[0].text
	if s.isOpen(name) {
		return fmt.Errorf("file %q is the open database itself", name)
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	s.redirect(file)
	return nil
}

// isOpen reports whether a path leads to the file of the database.
func (s *session) isOpen(path string) bool {
	if s.config.DB == nil {
		return false
	}
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	store, err := os.Stat(s.config.DB.Path())
	return err == nil && os.SameFile(store, there)
}

// outputOnce writes the result of the next statement to a file, in the format of its ending
// or else in the present one.
func (s *session) outputOnce(ctx context.Context, args []word) error {
	form, err := formatOfFile(args[0].text)
	if err != nil {
		return err
	}
	if err := s.output(ctx, args); err != nil || s.file == nil {
		return err
	}
	s.once, s.usual = true, s.format
	if form != "" {
		s.format = form
		s.newRenderer()
	}
	return nil
}

// formatOfFile returns the format of the ending of a file name, "" if it has
// none. The shell writes only plain text; INTO FILE also writes other formats.
func formatOfFile(name string) (Format, error) {
	form, text := files.FormOf(name)
	if !text {
		return "", fmt.Errorf("%s files are written by the statement itself: put INTO FILE '%s' at its end", strings.ToLower(filepath.Ext(name)), name)
	}
	return Format(form), nil
}

// deepest is the largest depth to which scripts may .read each other. It ends a script
// that reads itself.
const deepest = 16

func (s *session) read(ctx context.Context, args []word) error {
	if s.depth == deepest {
		return fmt.Errorf("scripts read each other more than %d deep", deepest)
	}
	file, err := os.Open(args[0].text)
	if err != nil {
		return err
	}
	defer file.Close()
	s.depth++
	defer func() { s.depth-- }()
	return s.script(ctx, file, args[0].text)
}

func (s *session) importFile(ctx context.Context, args []word) error {
	st := parser.Import{File: parser.String{Value: args[0].text}, Graph: parser.Ident{Name: args[1].text}}
	return s.text(ctx, parser.Text(&st))
}

func (s *session) setNull(_ context.Context, args []word) error {
	s.null = args[0].text
	return nil
}

// open closes the file and opens another one. If that fails, the first one stays open.
func (s *session) open(_ context.Context, args []word) error {
	if s.swap == nil {
		return errors.New("this program opens no other file")
	}
	err := s.swap(args[0].text)
	s.exec = executorOf(s.config.DB)
	return err
}

func (s *session) param(_ context.Context, args []word) error {
	action := "list"
	if len(args) > 0 {
		action = strings.ToLower(args[0].text)
	}
	name := ""
	if len(args) > 1 {
		name = strings.TrimPrefix(args[1].text, "$")
	}
	switch {
	case action == "list" && len(args) < 2:
		t := &table{columns: []string{"name", "value"}}
		for _, name := range slices.Sorted(maps.Keys(s.params)) {
			t.lines = append(t.lines, []rows.Value{name, fmt.Sprint(s.params[name])})
		}
		return s.write(t)
	case action == "set" && len(args) == 3 && name != "":
		if s.params == nil {
			s.params = map[string]any{}
		}
		s.params[name] = paramValue(args[2])
		return nil
	case action == "unset" && len(args) == 2:
		if _, ok := s.params[name]; !ok {
			return unknown("parameter", name, slices.Sorted(maps.Keys(s.params)))
		}
		delete(s.params, name)
		return nil
	}
	return errMisused
}

func (s *session) editLast(ctx context.Context, _ []word) error {
	text, err := s.edit(s.last)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return s.script(ctx, strings.NewReader(text), "")
}

func (s *session) leave(context.Context, []word) error {
	s.quit = true
	return nil
}
