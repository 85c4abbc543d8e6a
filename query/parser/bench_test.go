package parser

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkParse reads a short statement, one with a vector as a program sends
// it, and one of many pairs.
func BenchmarkParse(b *testing.B) {
	var vector, pairs strings.Builder
	for i := range 200 {
		vector.WriteString(strconv.FormatFloat(float64(i)/7-3, 'g', -1, 32) + ", ")
	}
	for i := range 10_000 {
		pairs.WriteString("('user" + strconv.Itoa(i) + "', 'user" + strconv.Itoa(2*i) + "'), ")
	}
	for _, tt := range []struct{ name, text string }{
		{"text=lookup", "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3;"},
		{"text=vector200", "NEAREST 10 TO [" + vector.String() + "0] USING spec"},
		{"text=pairs10000", "SCORE " + pairs.String() + "('a', 'b') WITH jaccard"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			if _, err := Parse(tt.text); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(tt.text)
			}
		})
	}
}

// BenchmarkTokens_Hostile cuts texts that would take quadratic time if any token
// were looked at more than a fixed number of times.
func BenchmarkTokens_Hostile(b *testing.B) {
	const n = 1 << 20
	for _, tt := range []struct{ name, piece string }{
		{"text=quotes", "'"}, {"text=zeros", "0"}, {"text=digits.", "1."}, {"text=comments", "/*"}, {"text=dashes", "-"},
		{"text=newlines", "\n1"}, {"text=invalid", "\xff"}, {"text=letters", "é"}, {"text=mixed", "aé"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			text := strings.Repeat(tt.piece, n/len(tt.piece))
			b.SetBytes(n)
			for b.Loop() {
				Tokens(text)
				Complete(text)
			}
		})
	}
}
