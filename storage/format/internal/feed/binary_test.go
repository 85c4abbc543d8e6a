package feed

import (
	"strings"
	"testing"
)

// Files that are no texts, and texts of another kind, are refused by what they are.
func TestRefuseBinary(t *testing.T) {
	texts := map[string]string{"a b\n": ""}
	for _, f := range binaryFiles {
		texts[f.magic+"\x00\x01\x02\xff"] = "this is " + f.name + ", and no text" + f.advice
	}
	for _, f := range otherTexts {
		texts[f.start+" x y\nx y\n"] = "this is " + f.name + ", which is not read" + f.advice
		texts["\r\n "+strings.ToUpper(f.start)+"1 2\n"] = "this is " + f.name
	}
	for text, want := range texts {
		got := ""
		if err := RefuseBinary([]byte(text), "f"); err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
