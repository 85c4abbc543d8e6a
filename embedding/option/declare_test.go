package option

import "testing"

type sample struct {
	n     int
	limit *int64
	near  int
	by    string
}

func samples() Schema[sample] {
	return Schema[sample]{
		Int("n", "", func(s *sample) *int { return &s.n }).OrElse(5).Between(1, 9),
		IntOr("limit", "all", "", func(s *sample) **int64 { return &s.limit }).NotNegative().With("FILE", func(s sample) bool { return s.n > 1 }),
		Int("near", "", func(s *sample) *int { return &s.near }).ZeroIs(-1),
		Auto("by", "", []string{"key"}, func(s *sample) *string { return &s.by }),
	}
}

// TestSchema_Bind sets given options, refuses those out of range, and gives back what was given.
func TestSchema_Bind(t *testing.T) {
	var s sample
	given := []Given{{"near", 0}, {"n", 3}, {"by", "key"}, {"limit", 4}}
	if err := samples().Bind("x", given, &s); err != nil || s.n != 3 || *s.limit != 4 || s.near != -1 || s.by != "key" {
		t.Fatal(s, err)
	}
	back := samples().Given(s)
	var again sample
	if err := samples().Bind("x", back, &again); err != nil || len(back) != 4 || *again.limit != 4 || again.near != -1 {
		t.Error(back, again, err)
	}
	if words := samples().Settings(sample{}); len(words) != 4 || words[1].Value != "all" || words[3].Value != "auto" {
		t.Error(words)
	}
	for want, given := range map[string][]Given{
		"option n of x must be from 1 to 9, not 0":                {{"n", 0}},
		"option limit of x is -1, and must not be negative":       {{"limit", -1}},
		"option limit of x applies only with FILE":                {{"limit", 1}},
		"option n of x is given twice":                            {{"n", 1}, {"n", 2}},
		`x has no option "m": expected n, limit, near, by`:        {{"m", 1}},
		"option by of x must be 'auto' or 'key', not degree":      {{"by", "degree"}},
		"option limit of x must be an integer or 'all', not none": {{"limit", "none"}},
	} {
		if err := samples().Bind("x", given, &sample{}); err == nil || err.Error() != want {
			t.Errorf("%v: %v, expected %s", given, err, want)
		}
	}
	if err := samples().Check(sample{n: 12}); err == nil {
		t.Error("a number of a program that is out of range is valid")
	}
}
