package excerpt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Name is a name as it is in a remark: itself if it is printable and short, and otherwise quoted.
func Name(name []byte) string {
	if quoted := Of(name); quoted != `"`+string(name)+`"` {
		return quoted
	}
	return string(name)
}

// Of quotes text of the input for an error message. What is not printable is escaped, so that it is
// safe on a terminal, and the text is truncated, so that a line of a megabyte stays readable.
func Of(text []byte) string {
	const most = 40
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) { // no character is cut
		end--
	}
	return fmt.Sprintf("%q…", text[:end])
}

// List quotes the first names of a list.
func List(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, Of([]byte(name)))
	}
	if len(names) > most {
		quoted = append(quoted, "…")
	}
	return strings.Join(quoted, ", ")
}
