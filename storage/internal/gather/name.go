package gather

import (
	"fmt"
	"strings"
	"unicode"

	"heavytail/storage/format"
	"heavytail/storage/internal/block"
)

// names gives attributes of files names that a graph can hold.
type names struct {
	taken   map[string]bool
	renamed format.Remark
	check   func(block.Attribute) error // whether an attribute can have a name
}

// choose returns the name under which an attribute of a file is kept: its own, if attributes can
// have that name and no earlier one of the file has it. Otherwise control characters become _, a
// name that is too long is cut, and a number is appended where the name is reserved or taken.
func (n *names) choose(name string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	chosen := name
	if !n.free(chosen) {
		plain := printable(name)
		chosen = plain
		for i := 2; !n.free(chosen); i++ {
			chosen = fmt.Sprintf("%s_%d", plain, i)
		}
		n.note(name, chosen)
	}
	n.taken[chosen] = true
	return chosen
}

func (n *names) free(name string) bool {
	return !n.taken[name] && n.check(block.Attribute{Name: name, Type: block.Text}) == nil
}

func (n *names) note(name, chosen string) {
	r := &n.renamed
	r.What, r.Remedy = "attributes kept under another name, as theirs is reserved, taken or no name", "ALTER ATTRIBUTE … RENAME TO gives them other names"
	r.Count++
	const most = 5
	if len(r.Names) < most {
		const shown = 40
		if len(name) > shown {
			name = strings.ToValidUTF8(name[:shown], "") + "…"
		}
		r.Names = append(r.Names, fmt.Sprintf("%q as %q", name, chosen))
	}
}

// printable returns a name that attributes can have, unless it is reserved.
func printable(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	const room = len("_12345")
	if len(name) > block.MaxName-room {
		name = strings.ToValidUTF8(name[:block.MaxName-room], "")
	}
	if name == "" {
		return "attribute"
	}
	return name
}
