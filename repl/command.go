package repl

import (
	"context"
	"fmt"
	"strings"

	"heavytail/query/parser"
)

// command is a line for the shell itself, not for the database.
type command struct {
	name    string // with its dot
	args    string // how help writes the arguments
	summary string
	detail  string // the rest of its help; may be empty
	least   int    // least number of arguments
	most    int    // largest number of arguments; negative for any number
	person  bool   // only for interactive use
	run     func(s *session, ctx context.Context, args []word) error
}

// commands returns all commands, in the order in which help lists them.
func commands() []command {
	return []command{
		{name: ".help", args: "[TOPIC]", summary: "list the commands, or explain one, or what HELP shows", most: -1, run: (*session).help},
		{name: ".manual", args: "[PAGE]", summary: "show a page of the manual, or list the pages", most: 1, run: (*session).manual},
		{
			name: ".graphs", summary: "list the graphs, as SHOW GRAPHS does",
			run: func(s *session, ctx context.Context, _ []word) error { return s.text(ctx, "SHOW GRAPHS") },
		}, {
			name: ".embeddings", summary: "list the embeddings, as SHOW EMBEDDINGS does",
			run: func(s *session, ctx context.Context, _ []word) error { return s.text(ctx, "SHOW EMBEDDINGS") },
		},
		{
			name: ".tables", summary: "list the graphs and the embeddings", run: (*session).tables,
			detail: "There are no tables: a file has graphs, and embeddings of them.",
		},
		{name: ".schema", args: "[GRAPH]", summary: "show what each graph has: size, attributes, embeddings", most: 1, run: (*session).schema},
		{
			name: ".plot", args: "[GRAPH …]", summary: "plot how degrees are distributed, or draw other pictures", most: -1, run: (*session).plot,
			detail: "The axes are logarithmic: a power law is a straight line. Without a name all graphs are plotted, if they are not more than " + fmt.Sprint(mostPlotted) +
				". A kind of picture with its arguments draws what heavytail plot does, without FILE, such as .plot graph social --around alice, with --out into a picture; .plot graph --help explains it.",
		}, {
			name: ".mode", args: "[MODE]", summary: "show or set how results are written", most: 1, run: (*session).mode,
			detail: "Modes: " + strings.Join(Formats(), ", ") + ". Table and box fit the terminal with fewer digits and the beginnings of texts, line shows all of a text.",
		},
		{
			name: ".columns", args: "[NAME … | all]", summary: "show or set which columns results have", most: -1, run: (*session).setColumns,
			detail: "Blanks or commas separate the names. A result without any of these columns keeps all of its own. A column that is called all is written 'all', in quotes.",
		},
		{name: ".timer", args: "[on|off]", summary: "show how long each statement took", most: 1, run: (*session).setTimer},
		{
			name: ".output", args: "[FILE|-]", summary: "write results to a file, or with - to the screen again", most: 1, run: (*session).output,
			detail: "A file of that name is replaced.",
		}, {
			name: ".once", args: "FILE", summary: "write the result of the next statement to a file", least: 1, most: 1, run: (*session).outputOnce,
			detail: "A name that ends in .csv, .tsv, .json, .ndjson or .md sets the format, and any other the mode. A file of that name is replaced.",
		}, {
			name: ".dump", args: "[GRAPH …]", summary: "write the statements that make all graphs again, or some", most: -1, run: (*session).dump,
			detail: "After .once FILE they go to a file, which .read runs on another store. Embeddings and models are not among them.",
		}, {
			name: ".import", args: "FILE GRAPH", summary: "add the edges of a file to a graph, as IMPORT does", least: 2, most: 2, run: (*session).importFile,
			detail: "IMPORT 'file' INTO graph has options, and IMPORT VERTICES reads attributes.",
		}, {
			name: ".nullvalue", args: "TEXT", summary: "show a text for missing values", least: 1, most: 1, run: (*session).setNull,
			detail: "In JSON they stay null.",
		}, {
			name: ".open", args: "FILE", summary: "close the file and open another one", least: 1, most: 1, person: true, run: (*session).open,
			detail: "A file that does not exist is created. Jobs in the background stop at a checkpoint, as they do when the shell is left.",
		}, {
			name: ".read", args: "FILE", summary: "run the statements and commands of a file", least: 1, most: 1, run: (*session).read,
			detail: "The first one that fails ends it.",
		}, {
			name: ".param", args: "[list | set NAME VALUE | unset NAME]", summary: "show or set the value of $NAME in statements", most: 3, run: (*session).param,
			detail: "A value in single quotes is text; another one is what its place in the statement takes, so that 007 can be a key and 7 a number.",
		},
		{name: ".pager", args: "[on|off]", summary: "show long results with $PAGER or less", most: 1, person: true, run: (*session).setPager},
		{
			name: ".edit", summary: "edit the last statement with $VISUAL or $EDITOR and run it", person: true, run: (*session).editLast,
			detail: "An empty file runs nothing.",
		},
		{name: ".quit", summary: "leave; Ctrl-D does so too", run: (*session).leave},
		{name: ".exit", summary: "leave", run: (*session).leave},
	}
}

// find returns the command with a name, which begins with any of commandSigns
// and is not case-sensitive. The error for an unknown name suggests the nearest
// one.
func find(name string) (command, error) {
	known := commands()
	names := make([]string, len(known))
	for i, c := range known {
		if strings.EqualFold(c.name[1:], name[1:]) {
			return c, nil
		}
		names[i] = c.name
	}
	if near, ok := parser.Suggest("."+name[1:], names); ok {
		return command{}, fmt.Errorf("unknown command %s: did you mean %s?", name, near)
	}
	return command{}, fmt.Errorf("unknown command %s: .help lists the commands", name)
}

func (s *session) command(ctx context.Context, src parser.Source) error {
	words, err := splitWords(strings.TrimSuffix(strings.TrimSpace(src.Text), ";"))
	if err != nil {
		return err
	}
	c, err := find(words[0].text)
	if err != nil {
		return err
	}
	args := words[1:]
	switch {
	case c.person && s.edit == nil:
		return fmt.Errorf("%s works only in an interactive shell", c.name)
	case len(args) < c.least, c.most >= 0 && len(args) > c.most:
		err = errMisused
	default:
		err = c.run(s, ctx, args)
	}
	if err == errMisused {
		return fmt.Errorf("expected %s", c.usage())
	}
	return err
}

func (c command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

func (s *session) help(ctx context.Context, args []word) error {
	if len(args) == 0 {
		return s.helpList()
	}
	name, dotless := args[0].text, false
	if !isCommand(name) {
		name, dotless = "."+name, true
	}
	// A word without a dot or a colon is the name of a command only if it is the
	// only word and is spelled exactly so. HELP explains everything else.
	c, err := find(name)
	if !dotless || err == nil && len(args) == 1 {
		if err != nil {
			return err
		}
		return s.say("%s", strings.TrimSpace(fmt.Sprintf("%s: %s. %s", c.usage(), c.summary, c.detail)))
	}
	topic := "HELP"
	for _, a := range args {
		topic += " " + a.text
	}
	return s.text(ctx, topic)
}

func (s *session) helpList() error {
	const column = 18 // of the summaries; a longer usage has a line of its own
	for _, c := range commands() {
		if c.person && s.edit == nil {
			continue
		}
		usage := c.usage()
		fmt.Fprint(s.out, usage)
		if blank := column - parser.Width(usage); blank > 0 {
			fmt.Fprint(s.out, strings.Repeat(" ", blank))
		} else {
			fmt.Fprint(s.out, "\n"+strings.Repeat(" ", column))
		}
		fmt.Fprintln(s.out, c.summary)
	}
	return s.say("Statements end with a semicolon; HELP; shows what there is.")
}
