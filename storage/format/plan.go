package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heavytail/storage/internal/excerpt"
)

// role is the use of a column of an edge list.
type role uint8

const (
	roleIgnored role = iota
	roleSource
	roleTarget
	roleWeight
	roleTime
	roleCount
)

// String names the role in messages.
func (r role) String() string { return [...]string{"ignored", "source", "target", "weight", "time"}[r] }

// NoColumn, as EdgeListOptions.Weight or Time, means that no column is read, whatever the
// header contains.
const NoColumn = "none"

// plan defines which columns of a line are read, and their roles.
type plan struct {
	roles []role         // by column, up to the last one that is read
	at    [roleCount]int // the column of each role, counted from 1; 0 where there is none
	// ignored are the names of the columns that are not read, for messages; empty without a
	// header.
	ignored string
}

// noPlan assigns no roles: for lines whose fields are all handled alike.
var noPlan plan

// narrow reports whether the plan reads exactly the first two columns.
func (p *plan) narrow() bool {
	return len(p.roles) == 2 && p.at[roleSource] == 1 && p.at[roleTarget] == 2
}

// wanted returns the columns that the options ask for, by role.
func (o *EdgeListOptions) wanted() [roleCount]string {
	return [roleCount]string{roleSource: o.Source, roleTarget: o.Target, roleWeight: o.Weight, roleTime: o.Time}
}

// maxColumns is the largest number that a column may have in the options.
const maxColumns = 1 << 16

// columnNumber reads the number of a column. Any other text is a name.
func columnNumber(text string) (n int, ok bool) {
	if !isInteger([]byte(text)) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = -1
	}
	return n, true
}

// namesColumns reports whether the options refer to a column by name, which requires a header.
func (o *EdgeListOptions) namesColumns() bool {
	wanted := o.wanted()
	return slices.ContainsFunc(wanted[:], func(text string) bool {
		_, number := columnNumber(text)
		return text != "" && text != NoColumn && !number
	})
}

// newPlan returns the plan of a text without a header. Columns that the options name are left
// out.
func newPlan(o *EdgeListOptions) plan {
	wanted := o.wanted()
	at := [roleCount]int{roleSource: 1, roleTarget: 2}
	for r := roleSource; r < roleCount; r++ {
		if n, ok := columnNumber(wanted[r]); ok {
			at[r] = n
		}
	}
	p, _ := planOf(at) // Validate has refused a column with two roles
	return p
}

// planOf makes a plan from the columns of all roles. If two roles have the same column, doubt
// names them.
func planOf(at [roleCount]int) (p plan, doubt string) {
	p.at = at
	p.roles = make([]role, slices.Max(at[:]))
	for r := roleSource; r < roleCount; r++ {
		if at[r] == 0 {
			continue
		}
		if other := p.roles[at[r]-1]; other != roleIgnored {
			return p, fmt.Sprintf("column %d is asked for as %s and as %s", at[r], other, r)
		}
		p.roles[at[r]-1] = r
	}
	return p, ""
}

// repeated returns the last role for which the options ask for the column of another role.
func (p plan) repeated(wanted [roleCount]string) role {
	asked := roleSource
	for r := roleSource; r < roleCount; r++ {
		for other := roleSource; other < roleCount; other++ {
			if r != other && p.at[r] != 0 && p.at[r] == p.at[other] && wanted[r] != "" {
				asked = r
			}
		}
	}
	return asked
}

// planFor returns the plan of a text whose columns have names. If the options cannot be
// applied, doubt is the reason.
func planFor(o *EdgeListOptions, names []string) (p plan, doubt string) {
	wanted := o.wanted()
	at := [roleCount]int{roleSource: 1, roleTarget: 2}
	if o.Source == "" && o.Target == "" {
		if source, target, ok := knownPair(names, true); ok {
			at[roleSource], at[roleTarget] = source+1, target+1
		}
	}
	for r := roleSource; r < roleCount; r++ {
		if wanted[r] == "" || wanted[r] == NoColumn && r >= roleWeight {
			continue
		}
		if n, ok := columnNumber(wanted[r]); ok {
			at[r] = n
		} else if at[r], doubt = columnNamed(names, wanted[r]); doubt != "" {
			return p, doubt
		}
		if at[r] > len(names) {
			return p, fmt.Sprintf("there is no column %d for the %s; the header names %d", at[r], r, len(names))
		}
	}
	for i, name := range names {
		r := usualRole(name)
		if r != roleIgnored && wanted[r] == "" && at[r] == 0 && !slices.Contains(at[:], i+1) {
			at[r] = i + 1
		}
	}
	var ignored []string
	for i, name := range names {
		if !slices.Contains(at[:], i+1) {
			ignored = append(ignored, name)
		}
	}
	p, doubt = planOf(at)
	p.ignored = excerpt.List(ignored)
	return p, doubt
}

func usualRole(name string) role {
	switch strings.ToLower(name) {
	case "weight", "w", "value":
		return roleWeight
	case "time", "timestamp", "ts", "date":
		return roleTime
	}
	return roleIgnored
}

// columnNamed returns the number of the column with a name: an exact match, or else one that
// ignores case.
func columnNamed(names []string, name string) (number int, doubt string) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i, other := range names {
			switch {
			case !same(other, name):
			case number > 0:
				return 0, fmt.Sprintf("columns %d and %d are both called %s", number, i+1, excerpt.Of([]byte(name)))
			default:
				number = i + 1
			}
		}
		if number > 0 {
			return number, ""
		}
	}
	return 0, fmt.Sprintf("no column is called %s; there are %s", excerpt.Of([]byte(name)), excerpt.List(names))
}

// knownPairs are the pairs of column names that HeaderAuto recognises without further evidence,
// ignoring case.
var knownPairs = [][2]string{
	{neo4jStart, neo4jEnd},
	{"source", "target"}, {"source_id", "target_id"}, {"src", "dst"}, {"src", "dest"},
	{"from", "to"}, {"from_id", "to_id"}, {"from_node", "to_node"}, {"fromnodeid", "tonodeid"},
	{"node1", "node2"}, {"node_1", "node_2"}, {"id1", "id2"}, {"id_1", "id_2"}, {"vertex1", "vertex2"},
}

// wordPairs are further ones. They are also keys in many small examples, so that they are
// recognised only in a text whose columns blanks do not separate.
var wordPairs = [][2]string{
	{"u", "v"}, {"i", "j"}, {"head", "tail"}, {"subject", "object"}, {"follower", "followee"}, {"follower_id", "followee_id"},
	{"user", "item"}, {"user_id", "item_id"}, {"user", "friend"}, {"user_id", "friend_id"}, {"sender", "receiver"}, {"sender", "recipient"},
	{"citing", "cited"}, {"parent", "child"}, {"caller", "callee"}, {"origin", "destination"}, {"start", "end"},
	{"protein1", "protein2"}, {"gene1", "gene2"}, {"author1", "author2"}, {"person1", "person2"}, {"node_a", "node_b"},
}

// knownPair finds the columns of a known pair among names. words allows those that may be keys.
func knownPair(names []string, words bool) (source, target int, ok bool) {
	pairs := knownPairs
	if words {
		pairs = slices.Concat(knownPairs, wordPairs)
	}
	for _, pair := range pairs {
		source = slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, pair[0]) })
		target = slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, pair[1]) })
		if source >= 0 && target >= 0 {
			return source, target, true
		}
	}
	return 0, 0, false
}

// commentWords returns the words of a comment.
func commentWords(line []byte) (list []string) {
	words := bytes.FieldsFunc(bytes.TrimLeft(line, "#% \t"), func(c rune) bool {
		return c == ' ' || c == '\t' || c == ',' || c == ';'
	})
	for _, word := range words {
		list = append(list, string(word))
	}
	return list
}

// commentNames returns the words of a comment that contains only column names, such as "#
// FromNodeId ToNodeId", and nil for any other comment.
func commentNames(names []string) []string {
	const most = 4 // with two more columns, such as weight and time; a longer comment is prose
	if len(names) < 2 || len(names) > most {
		return nil
	}
	if _, _, ok := knownPair(names[:2], false); !ok {
		return nil
	}
	return names
}
