package help

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Pages returns an entry for each section of the pages of a manual, files that end in .md: Name is that
// of the page, Summary the headings, Text what is below. Tables of measured figures, between the comments
// "table" and "end", are left out, and so is a page of changes.
func Pages(manual fs.FS) ([]Entry, error) {
	names, err := fs.Glob(manual, "*.md")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var list []Entry
	for _, name := range names {
		text, err := fs.ReadFile(manual, name)
		if err != nil {
			return nil, err
		}
		page := strings.TrimSuffix(path.Base(name), ".md")
		if page == "changes" {
			continue // it is about what was
		}
		list = append(list, sections(page, string(text))...)
	}
	return list, nil
}

func sections(page, text string) (list []Entry) {
	title, measured, fenced := "", false, false
	for line := range strings.Lines(text) {
		if comment := strings.TrimSpace(line); strings.HasPrefix(comment, "<!--") {
			measured = strings.HasPrefix(comment, "<!-- table")
			continue
		}
		level := 0
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		} else if !fenced { // a comment of a script is no heading
			level = len(line) - len(strings.TrimLeft(line, "#"))
		}
		heading := strings.Trim(line[level:], " \n`")
		switch {
		case level == 1:
			title = heading
			fallthrough
		case level > 1 && level < 4 && strings.HasPrefix(line[level:], " ") && !measured:
			if heading != title {
				heading = title + ": " + heading
			}
			list = append(list, Entry{Kind: "manual", Name: page, Summary: heading})
		case len(list) > 0 && !measured:
			list[len(list)-1].Text += line
		}
	}
	return list
}
