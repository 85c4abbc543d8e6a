package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heavytail/cmd/heavytail/manual"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/links"
	"heavytail/query/vectors"
)

const (
	helpURI   = "heavytail://help"
	manualURI = "heavytail://manual/"
)

// addResources adds HELP, with one resource for each statement, and the pages of the manual. What HELP
// explains besides has a template, and so have the further parts of long pages.
func addResources(s *mcp.Server) {
	add := func(uri, name, title, kind string, read mcp.ResourceHandler) {
		s.AddResource(&mcp.Resource{URI: uri, Name: name, Title: title, MIMEType: kind}, read)
	}
	add(helpURI, "help", "what to begin with, and the groups of statements", "text/plain", readHelp)
	for _, h := range query.Helps() {
		add(helpURI+"/"+url.PathEscape(h.Statement), h.Statement, h.Summary, "text/plain", readHelp)
	}
	for _, name := range manual.Names() {
		add(manualURI+name, "manual "+name, manual.Title(name), "text/markdown", readManual)
	}
	template := func(uri, name, about, kind string, read mcp.ResourceHandler) {
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: name, Description: about, MIMEType: kind}, read)
	}
	template(helpURI+"/{topic}", "help on a topic", "a statement, method, measure, scorer, generator or group of statements, or words to search for", "text/plain", readHelp)
	template(manualURI+"{page}{?part}", "part of a page of the manual", "a part names the next one on its last line", "text/markdown", readManual)
}

func readHelp(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	words, err := url.PathUnescape(strings.TrimPrefix(strings.TrimPrefix(r.Params.URI, helpURI), "/"))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	text, err := helpText(words)
	return contents(r, "text/plain", text, err == nil)
}

func readManual(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, query, more := strings.Cut(strings.TrimPrefix(r.Params.URI, manualURI), "?")
	part := 1
	if more {
		var err error
		if part, err = strconv.Atoi(strings.TrimPrefix(query, "part=")); err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
	}
	page, known := manual.Page(name, reference)
	text, there := partOf(page, part, manualURI+name+"?part=")
	return contents(r, "text/markdown", text, known && there)
}

func contents(r *mcp.ReadResourceRequest, kind, text string, known bool) (*mcp.ReadResourceResult, error) {
	if !known {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: kind, Text: text}}}, nil
}

// reference is what a page lists of the tables of the code: names, which HELP explains one by one.
func reference(name string) string {
	var b strings.Builder
	line := func(name, summary string) { fmt.Fprintf(&b, "- `%s`: %s\n", name, summary) }
	switch name {
	case "statements":
		for _, h := range query.Helps() {
			line(h.Statement, h.Summary)
		}
	case "methods":
		for _, m := range vectors.Methods() {
			line(m.Name, m.Summary)
		}
	case "generators":
		for _, g := range graphs.Generators() {
			line(g.Name, g.Summary)
		}
	case "scorers":
		for _, s := range links.Scorers() {
			line(s.Name, s.Summary)
		}
	case "errors":
		for _, e := range query.Errors() {
			line(e.Name, e.Meaning)
		}
	default:
		return "`heavytail help` and `--help` of a command list them.\n"
	}
	return b.String() + "\nEach is explained by " + helpURI + "/NAME.\n"
}

// partBytes is the greatest length of a part of a page.
const partBytes = 8 << 10

// partOf returns a part of a page, from 1, which ends before a heading or at least a paragraph, with a line that has the URI
// of the next one; false if there is no such part.
func partOf(page string, number int, uri string) (string, bool) {
	for n := 1; n <= number && page != ""; n++ {
		part := page
		if len(page) > partBytes {
			end := max(strings.LastIndex(page[:partBytes], "\n## "), strings.LastIndex(page[:partBytes], "\n### "))
			if end < partBytes/4 {
				end = max(1, strings.LastIndex(page[:partBytes], "\n"))
			}
			part = page[:end]
		}
		page = page[len(part):]
		if n == number {
			if page != "" {
				part += fmt.Sprintf("\n\nContinued by %s%d\n", uri, n+1)
			}
			return part, true
		}
	}
	return "", false
}
