package parser

// The limits of one statement. They keep the cost of a hostile text proportional
// to its size: a statement that reaches all limits takes about 10 MB as a tree and
// about 20 ms to parse.
const (
	// MaxText is the greatest length of a statement in bytes. A vector of 4,096
	// numbers in full precision takes about 90 kB and ten thousand pairs of keys
	// about 300 kB; what is longer is passed as a parameter or in a file.
	MaxText = 1 << 20
	// MaxTokens is the greatest number of tokens: a token of one byte may take 120
	// bytes of the tree. It is enough for 16,000 pairs.
	MaxTokens = 100_000
	// MaxDepth is the greatest nesting of parentheses and NOT, which bounds the
	// recursion of every pass over the tree. People write fewer than ten.
	MaxDepth = 64

	// maxString is the greatest length of a quoted string or name with its
	// quotes: longer than any vertex key or path, and short enough to be shown.
	maxString     = 64 << 10
	maxStringText = "65,536"
)

// Source is the text of one statement, and its position in the text or script that
// it came from. All positions count from the beginning of that script.
type Source struct {
	Text string
	Pos  Pos // the zero Pos for a text of its own
}

// byteOrderMark begins the files of some editors. It has no meaning in UTF-8.
const byteOrderMark = "\uFEFF"
