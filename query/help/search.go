package help

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Entry is one thing that a search finds: a statement, a method, an error, a section of the manual.
type Entry struct {
	Kind    string // such as "statement" or "manual"
	Name    string
	Summary string // one line
	Words   string // further words for it
	Text    string // whatever else is said about it
}

// The points of a word in a field of an entry, whole and as a beginning of a longer word or of the word that is asked for; a field
// counts once for each word. Errors and pages of the manual have half of them.
var points = [...]struct{ whole, begins int }{
	{90, 24}, // of the name, where that is one word
	{50, 20}, // of the name
	{40, 14}, // of Words
	{14, 6},  // of Summary
	{4, 1},   // of Text
}

// The places of Words and Text in points.
const (
	ofWords = 2
	ofText  = 4
)

// most is how many entries a search lists.
const most = 12

// Search returns the entries for some words, the best first, at most 12 and a section of the manual. Case, accents and plurals do not
// matter, and words that say nothing, such as "how to", are left out. Entries that lack a
// word are listed only where none has all, and those that lack half of the words never; equal ones keep
// their order.
func Search(entries []Entry, words []string) []Entry {
	silent := Terms(silent)
	var asked []string
	for _, word := range Terms(strings.Join(words, " ")) {
		if !slices.Contains(silent, word) && !slices.Contains(asked, word) {
			asked = append(asked, word)
		}
	}
	type found struct {
		Entry
		score, missing int
	}
	var list []found
	for _, e := range entries {
		f := found{Entry: e}
		fields := e.fields()
		for _, word := range asked {
			n := score(fields, word)
			if n == 0 {
				f.missing++
			}
			f.score += n
		}
		if len(asked) > 1 && strings.HasPrefix(strings.Join(fields[ofWords], " "), strings.Join(asked, " ")) {
			f.score += points[0].whole // its usual name has several words
		}
		if e.Kind == "manual" || e.Kind == "error" {
			f.score /= 2
		}
		if f.score > 0 {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.missing, b.missing), cmp.Compare(b.score, a.score))
	})
	var best []Entry
	page := false // the best of the manual is listed in any case
	for _, f := range list {
		manual := f.Kind == "manual" && !page
		if f.missing == list[0].missing && 2*f.missing < len(asked) && (manual || f.score*8 >= list[0].score && len(best) < most) {
			best = append(best, f.Entry)
			page = page || manual
		}
	}
	return best
}

// fields are the terms of an entry, by the places of points.
func (e *Entry) fields() (f [len(points)][]string) {
	f[1] = Terms(e.Name)
	if len(f[1]) == 1 || strings.Contains(e.Name, "_") {
		f[0] = []string{strings.Join(f[1], "")}
	}
	f[2], f[3], f[4] = Terms(e.Words), Terms(e.Summary), Terms(e.Text)
	return f
}

func score(fields [len(points)][]string, word string) (n int) {
	const least = 4 // letters of a beginning
	for i, terms := range fields {
		switch {
		case slices.Contains(terms, word):
			n += points[i].whole
			switch i {
			case ofWords: // the first of them are its usual names
				n += max(0, 10-slices.Index(terms, word))
			case ofText:
				n += min(8, count(terms, word))
			}
		case len(word) >= least && slices.ContainsFunc(terms, func(term string) bool { return strings.HasPrefix(term, word) || inflects(word, term) }):
			n += points[i].begins
		}
	}
	return n
}

func count(terms []string, word string) (n int) {
	for _, term := range terms {
		if term == word {
			n++
		}
	}
	return n
}

// inflects reports whether a word is another one with an ending, such as "embedding" and "embed".
func inflects(word, of string) bool {
	ending, longer := strings.CutPrefix(word, of)
	if !longer || len(of) < 4 || ending == "" {
		return false
	}
	if ending[0] == of[len(of)-1] {
		ending = ending[1:]
	}
	return slices.Contains([]string{"ing", "ed", "er", "al"}, ending)
}

// silent are words that say nothing about what is searched.
const silent = "a an the of in on to for from with by and or is are do does how what which can i my me it get using"

// Terms cuts a text into words as a search compares them: in lower case, without accents and without
// the ending of a plural.
func Terms(text string) []string {
	words := strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	spelling := strings.NewReplacer("neighbour", "neighbor", "isation", "ization", "ise", "ize")
	for i, word := range words {
		word = strings.Map(plain, word)
		switch {
		case len(word) > 4 && strings.HasSuffix(word, "ies"):
			word = word[:len(word)-3] + "y"
		case len(word) > 4 && (strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
			word = word[:len(word)-2]
		case len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "is") && !strings.HasSuffix(word, "us"):
			word = word[:len(word)-1]
		}
		if same, known := sameThing[word]; known {
			word = same
		}
		words[i] = spelling.Replace(word)
	}
	return words
}

// sameThing are words for which this program has another one, as singulars.
var sameThing = map[string]string{"node": "vertex", "vertice": "vertex", "network": "graph", "relationship": "edge"}

// plain is a letter in lower case, without an accent.
func plain(c rune) rune {
	c = unicode.ToLower(c)
	if c <= unicode.MaxASCII {
		return c
	}
	if i := strings.IndexRune("áàâäåéèêëíìîïóòôöőúùûüűçñ", c); i >= 0 {
		return rune("aaaaaeeeeiiiiooooouuuuucn"[i/2])
	}
	return c
}
