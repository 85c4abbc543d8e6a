package shard

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// group is shards in sequence whose rows are in one part: a single shard, or those that one
// process has run as one statement. Two groups may overlap, if two processes ran the same
// shards.
type group struct{ first, last int }

func one(shard int) group { return group{shard, shard} }

// name is that of the files of a group, without ending: 00007, or 00008-00015.
func (g group) name() string {
	if g.first == g.last {
		return fmt.Sprintf("%05d", g.first)
	}
	return fmt.Sprintf("%05d-%05d", g.first, g.last)
}

// groupOf is the inverse of name.
func groupOf(name string) (g group, ok bool) {
	if n, _ := fmt.Sscanf(name, "%d-%d", &g.first, &g.last); n == 1 {
		g.last = g.first
	}
	return g, 0 <= g.first && g.first <= g.last && g.name() == name
}

// text names the shards of a group in messages.
func (g group) text() string {
	if g.first == g.last {
		return fmt.Sprintf("shard %d", g.first)
	}
	return fmt.Sprintf("shards %d-%d", g.first, g.last)
}

// groups lists the finished groups in order. Of two overlapping ones it leaves out the one that
// begins later, or the shorter one if both begin with the same shard. A shard that is only in such
// a group is missing; the next run computes exactly the missing shards, so that every plan can be
// completed, whatever processes did before.
func (m *Manifest) groups() ([]group, error) {
	files, err := os.ReadDir(m.outputs())
	if err != nil {
		return nil, err
	}
	var list []group
	for _, f := range files {
		name, isState := strings.CutSuffix(f.Name(), ".json")
		if g, ok := groupOf(name); ok && isState && g.last < len(m.Shards) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b group) int { return cmp.Or(a.first-b.first, b.last-a.last) })
	end := 0
	return slices.DeleteFunc(list, func(g group) bool {
		if g.first < end {
			return true
		}
		end = g.last + 1
		return false
	}), nil
}

// missing lists the shards that are in no group.
func (m *Manifest) missing(groups []group) (list []int) {
	next := 0
	for _, g := range append(slices.Clone(groups), one(len(m.Shards))) {
		for ; next < g.first; next++ {
			list = append(list, next)
		}
		next = g.last + 1
	}
	return list
}

func (m *Manifest) done(g group) (*part, error) {
	var p part
	err := readJSON(m.state(g), &p)
	if err == nil && p.Plan != m.Checksum {
		err = fmt.Errorf("%s is of another plan: %w", m.state(g), ErrDamaged)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("remove the state of %s and run it again: %w", g.text(), err)
	}
	return &p, err
}
