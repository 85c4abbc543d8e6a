package delimited

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/internal/excerpt"
)

// Role is the use of a column of an edge list.
type Role uint8

const (
	Ignored Role = iota
	Source
	Target
	Weight
	Time
	Roles
)

// String names the role in messages.
func (r Role) String() string { return [...]string{"ignored", "source", "target", "weight", "time"}[r] }

// NoColumn is wanted where no column is to be read.
const NoColumn = "none"

// Plan defines which columns of a line are read, and their roles.
type Plan struct {
	Roles []Role     // by column, up to the last one that is read
	At    [Roles]int // the column of each role, counted from 1; 0 where there is none
	// Ignored are the names of the columns that are not read, for messages; empty without a
	// header.
	Ignored string
}

// NoPlan assigns no roles: for lines whose fields are all handled alike.
var NoPlan Plan

// Narrow reports whether the plan reads exactly the first two columns.
func (p *Plan) Narrow() bool {
	return len(p.Roles) == 2 && p.At[Source] == 1 && p.At[Target] == 2
}

// ColumnNumber reads the number of a column. Any other text is a name.
func ColumnNumber(text string) (n int, ok bool) {
	if !decimal.IsInteger([]byte(text)) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = -1
	}
	return n, true
}

// NewPlan returns the plan of a text without a header, in which columns are wanted by their
// numbers. Others are left out.
func NewPlan(wanted [Roles]string) Plan {
	at := [Roles]int{Source: 1, Target: 2}
	for r := Source; r < Roles; r++ {
		if n, ok := ColumnNumber(wanted[r]); ok {
			at[r] = n
		}
	}
	p, _ := PlanOf(at) // the caller has refused a column with two roles
	return p
}

// PlanOf makes a plan from the columns of all roles. If two roles have the same column, doubt
// names them.
func PlanOf(at [Roles]int) (p Plan, doubt string) {
	p.At = at
	p.Roles = make([]Role, slices.Max(at[:]))
	for r := Source; r < Roles; r++ {
		if at[r] == 0 {
			continue
		}
		if other := p.Roles[at[r]-1]; other != Ignored {
			return p, fmt.Sprintf("column %d is asked for as %s and as %s", at[r], other, r)
		}
		p.Roles[at[r]-1] = r
	}
	return p, ""
}

// Repeated returns the last role for which the options ask for the column of another role.
func (p Plan) Repeated(wanted [Roles]string) Role {
	asked := Source
	for r := Source; r < Roles; r++ {
		for other := Source; other < Roles; other++ {
			if r != other && p.At[r] != 0 && p.At[r] == p.At[other] && wanted[r] != "" {
				asked = r
			}
		}
	}
	return asked
}

// PlanFor returns the plan of a text whose columns have names. Columns are wanted by name or by
// number; those of source and target are found by a known pair if neither is, and weight and time
// by their usual names, unless they are noColumn. If that cannot be, doubt is the reason.
func PlanFor(wanted [Roles]string, names []string) (p Plan, doubt string) {
	at := [Roles]int{Source: 1, Target: 2}
	if wanted[Source] == "" && wanted[Target] == "" {
		if source, target, ok := KnownPair(names, true); ok {
			at[Source], at[Target] = source+1, target+1
		} else if len(names) > 2 && UsualRole(names[0]) != Ignored && UsualRole(names[1]) == Ignored && UsualRole(names[2]) == Ignored {
			at[Source], at[Target] = 2, 3 // times or weights come first
		}
	}
	for r := Source; r < Roles; r++ {
		if wanted[r] == "" || wanted[r] == NoColumn && r >= Weight {
			continue
		}
		if n, ok := ColumnNumber(wanted[r]); ok {
			at[r] = n
		} else if at[r], doubt = ColumnNamed(names, wanted[r]); doubt != "" {
			return p, doubt
		}
		if at[r] > len(names) {
			return p, fmt.Sprintf("there is no column %d for the %s; the header names %d", at[r], r, len(names))
		}
	}
	for i, name := range names {
		r := UsualRole(name)
		if r != Ignored && wanted[r] == "" && at[r] == 0 && !slices.Contains(at[:], i+1) {
			at[r] = i + 1
		}
	}
	var ignored []string
	for i, name := range names {
		if !slices.Contains(at[:], i+1) {
			ignored = append(ignored, name)
		}
	}
	p, doubt = PlanOf(at)
	p.Ignored = excerpt.List(ignored)
	return p, doubt
}

func UsualRole(name string) Role {
	switch strings.ToLower(name) {
	case "weight", "w", "value":
		return Weight
	case "time", "timestamp", "ts", "date":
		return Time
	}
	return Ignored
}

// ColumnNamed returns the number of the column with a name: an exact match, or else one that
// ignores case.
func ColumnNamed(names []string, name string) (number int, doubt string) {
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
	{":START_ID", ":END_ID"}, // of Neo4j
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

// KnownPair finds the columns of a known pair among names, or else of a pair with the same stems. words
// allows those that may be keys.
func KnownPair(names []string, words bool) (source, target int, ok bool) {
	pairs := knownPairs
	if words {
		pairs = slices.Concat(knownPairs, wordPairs)
	}
	for _, form := range []func(string) string{strings.ToLower, Stem} {
		forms := make([]string, len(names))
		for i, name := range names {
			forms[i] = form(name)
		}
		for _, pair := range pairs {
			source = slices.Index(forms, form(pair[0]))
			target = slices.Index(forms, form(pair[1]))
			if source >= 0 && target >= 0 && source != target {
				return source, target, true
			}
		}
	}
	return 0, 0, false
}

// Stem returns the name of a column in lower case, without signs and without an ending that says what
// names a thing: "Sender_ID" and "sender" have one stem.
func Stem(name string) string {
	stem := strings.Map(func(c rune) rune {
		if strings.ContainsRune(" _-.", c) {
			return -1
		}
		return unicode.ToLower(c)
	}, name)
	for _, ending := range []string{"nodeid", "userid", "ids", "id", "name", "node"} {
		if cut, ok := strings.CutSuffix(stem, ending); ok && cut != "" {
			return cut
		}
	}
	return stem
}

// CommentWords returns the words of a comment.
func CommentWords(line []byte) (list []string) {
	words := bytes.FieldsFunc(bytes.TrimLeft(line, "#% \t"), func(c rune) bool {
		return c == ' ' || c == '\t' || c == ',' || c == ';'
	})
	for _, word := range words {
		list = append(list, string(word))
	}
	return list
}

// CommentNames returns the words of a comment that contains only column names, such as "#
// FromNodeId ToNodeId", and nil for any other comment.
func CommentNames(names []string) []string {
	const most = 4 // with two more columns, such as weight and time; a longer comment is prose
	if len(names) < 2 || len(names) > most {
		return nil
	}
	if _, _, ok := KnownPair(names[:2], false); !ok {
		return nil
	}
	return names
}

// IsKeyName reports whether tables of vertices call the column of their keys so; pandas and R leave
// the name of an index empty.
func IsKeyName(name string) bool {
	switch strings.ToLower(name) {
	case "id", "key", "vertex", "node", "index", "name", "label", "node_id", "nodeid", "vertex_id", "vertexid", "":
		return true
	}
	return false
}

// EdgeID is the name of the id of an edge, which is no attribute, in formats whose edges have values under their names.
const EdgeID = "id"

// IsAttribute reports whether an attribute of edges can have a name: not that of the weight or of the time.
func IsAttribute(name string) bool { return name != Weight.String() && name != Time.String() }

// Named reports whether a column is wanted by its name, which requires a header.
func Named(wanted [Roles]string) bool {
	return slices.ContainsFunc(wanted[:], func(text string) bool {
		_, number := ColumnNumber(text)
		return text != "" && text != NoColumn && !number
	})
}
