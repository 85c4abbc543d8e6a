package format

// separator is how the columns of a line are told apart.
type separator uint8

const (
	separatorAuto       separator = iota
	separatorWhitespace           // runs of spaces and tabs
	separatorTab                  // one tab; spaces around a field are dropped
	separatorComma                // one comma, CSV quoting; blanks around a field are dropped
	separatorSemicolon
	separatorBar
)

// separators maps every accepted spelling.
var separators = map[string]separator{
	"": separatorAuto, "auto": separatorAuto,
	" ": separatorWhitespace, "space": separatorWhitespace, "whitespace": separatorWhitespace,
	"\t": separatorTab, "tab": separatorTab,
	",": separatorComma, "comma": separatorComma,
	";": separatorSemicolon, "semicolon": separatorSemicolon,
	"|": separatorBar, "bar": separatorBar,
}
