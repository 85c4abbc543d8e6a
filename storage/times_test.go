package storage

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// TestGraph_Times follows the form of timestamps through imports, a compaction and
// a recovery: the first ones decide.
func TestGraph_Times(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const days, seconds = "u,v,time\na,b,2024-02-29\nb,c,2024-03-01\n", "u,v,time\na,b,7\nb,c,8\n"
	const clock, mixed, none = "u,v,time\na,d,2024-02-29T12:00:00Z\n", "u,v,time\na,b,2024-02-29\nb,c,8\n", "a,b\n"
	for name, c := range map[string]struct {
		texts []string
		want  format.TimeForm
	}{
		"dates":                    {[]string{days}, format.TimeDates},
		"clocks":                   {[]string{clock}, format.TimeClocks},
		"numbers":                  {[]string{seconds}, format.TimeNumbers},
		"mixed":                    {[]string{mixed}, format.TimeNumbers},
		"none":                     {[]string{none}, format.TimeNumbers},
		"none, then dates":         {[]string{none, days}, format.TimeDates},
		"dates, then clocks":       {[]string{days, clock}, format.TimeClocks},
		"dates, then numbers":      {[]string{days, "u,v,time\nx,y,86400\n"}, format.TimeDates},
		"dates, then odd seconds":  {[]string{days, "u,v,time\nx,y,86401\n"}, format.TimeClocks},
		"numbers, then dates":      {[]string{seconds, days}, format.TimeNumbers},
		"a date of a dropped loop": {[]string{"u,v,time\na,a,2024-02-29\na,b,5\n"}, format.TimeNumbers},
	} {
		path := filepath.Join(t.TempDir(), "store")
		db := openStore(t, path, nil)
		var stats ImportStats
		for _, text := range c.texts {
			var err error
			if stats, err = db.Import(ctx, "g", strings.NewReader(text), ImportOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		form := func(db *DB) format.TimeForm {
			info, err := db.Graph(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			return info.Times
		}
		if got := form(db); got != c.want || stats.Times != c.want {
			t.Errorf("%s: %v, and of the import %v, want %v", name, got, stats.Times, c.want)
		}
		if _, err := db.Compact(ctx, nil); err != nil || form(db) != c.want {
			t.Errorf("%s, compacted: %v, %v", name, form(db), err)
		}
		checkStore(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "new")
		if _, err := Recover(ctx, path, to, RecoverOptions{}); err != nil {
			t.Fatal(err)
		}
		again := openStore(t, to, nil)
		if form(again) != c.want {
			t.Errorf("%s, recovered: %v", name, form(again))
		}
	}
}

// TestUpdateEdges_Times gives, takes and gives timestamps by transactions.
func TestUpdateEdges_Times(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	const day = 24 * 60 * 60
	for i, step := range []struct {
		edge Edge
		want format.TimeForm
	}{
		{Edge{Time: day, Timed: true, Dated: true}, format.TimeDates},
		{Edge{Time: day + 1, Timed: true, Dated: true}, format.TimeClocks},
		{Edge{Time: 2 * day, Timed: true}, format.TimeClocks},
		{Edge{Time: csr.NoTime, Timed: true}, format.TimeNumbers},
		{Edge{Time: day, Timed: true}, format.TimeNumbers},
		{Edge{Time: 2 * day, Timed: true, Dated: true}, format.TimeNumbers},
		{Edge{Time: csr.NoTime, Timed: true}, format.TimeNumbers},
		{Edge{Time: day, Timed: true, Dated: true}, format.TimeDates},
	} {
		step.edge.Source, step.edge.Target = "a", "b"
		err := db.Update(ctx, func(tx *Tx) error {
			if i == 0 {
				if _, err := tx.CreateGraph("g"); err != nil {
					return err
				}
			}
			_, err := tx.InsertEdges("g", []Edge{step.edge})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := db.Graph(ctx, "g"); err != nil || info.Times != step.want {
			t.Errorf("step %d: %v, %v, want %v", i, info.Times, err, step.want)
		}
	}
	// What a deletion says of times does not matter.
	err := db.Update(ctx, func(tx *Tx) error {
		_, err := tx.DeleteEdges("g", []Edge{{Source: "a", Target: "x", Time: 5, Timed: true}})
		return err
	})
	if info, _ := db.Graph(ctx, "g"); err != nil || info.Times != format.TimeDates {
		t.Errorf("%v, %v", info.Times, err)
	}
}
