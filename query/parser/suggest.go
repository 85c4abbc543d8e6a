package parser

import "strings"

// Suggest returns the candidate nearest to a misspelt word: the one at the smallest
// edit distance, with letters compared without case, and the first of several at
// the same distance. It returns false if even the nearest is too far to be a typing
// mistake, more changes than a third of the word's length, rounded, unless the word, of three
// letters or more, is the beginning of that one candidate only. Edit distance
// counts insertions, deletions, substitutions and swaps of two neighbouring runes
// (the restricted Damerau-Levenshtein distance). It takes O(len(word) · total length
// of the candidates).
func Suggest(word string, candidates []string) (string, bool) {
	const longest = 256 // bytes; a longer word is not a misspelt name
	if len(word) > longest {
		return "", false
	}
	folded := []rune(strings.ToLower(word))
	best, found := "", false
	limit := (len(folded) + 1) / 3
	for _, c := range candidates {
		if len(c) > 2*longest {
			continue
		}
		d := editDistance(folded, []rune(strings.ToLower(c)), limit)
		if d == 0 {
			return c, true
		}
		if d <= limit {
			best, found, limit = c, true, d-1
		}
	}
	if !found {
		return begun(folded, candidates)
	}
	return best, found
}

// begun returns the only candidate that begins with a word, if it is one.
func begun(folded []rune, candidates []string) (string, bool) {
	const least = 3 // letters
	var all []string
	for _, c := range candidates {
		if len(folded) >= least && strings.HasPrefix(strings.ToLower(c), string(folded)) {
			all = append(all, c)
		}
	}
	if len(all) != 1 {
		return "", false
	}
	return all[0], true
}

// editDistance returns the distance of a and b, or if it is above limit any number
// above limit.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	// Three rows of the table: a swap looks two rows back.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
