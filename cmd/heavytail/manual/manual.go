// Package manual has the pages of the manual, which are part of every program that imports it.
package manual

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Files are the pages as they are written, each with its name and the ending .md.
//
//go:embed *.md
var Files embed.FS

// names are the pages in the order in which an index lists them.
var names = []string{
	"networkx", "gds", "node2vec", "go", "figures", "cluster",
	"language", "statements", "methods", "answers", "tables", "files", "jobs", "store", "serve", "command", "shell", "errors", "limits", "paper", "changes",
}

// Names lists the pages in the order of an index.
func Names() []string { return slices.Clone(names) }

// comment is a comment of Markdown, with the name of the part of the reference that is in its place.
var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!-- (?:reference: (\w+)|.*) -->\n?`) })

// Page returns a page as Markdown; false for an unknown name. What pages list of the tables of the code, such as
// the statements, comes from part, which is called with the name that a comment <!-- reference: NAME --> has.
func Page(name string, part func(name string) string) (string, bool) {
	text, err := Files.ReadFile(name + ".md")
	if err != nil {
		return "", false
	}
	return comment().ReplaceAllStringFunc(string(text), func(found string) string {
		if name := comment().FindStringSubmatch(found)[1]; name != "" {
			return part(name)
		}
		return ""
	}), true
}

// Title returns the heading of a page; "" for an unknown name.
func Title(name string) string {
	text, _ := Files.ReadFile(name + ".md")
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title
}
