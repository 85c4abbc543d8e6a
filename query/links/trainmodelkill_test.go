package links_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query/internal/querytest"
)

// TestTrainModel_Killed kills the process at random moments of TRAIN MODEL, of a new model and of one that is trained
// again on a larger graph: the file is sound, and has the embeddings that are computed for the model with the model, or none of what is new.
func TestTrainModel_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the failing commits of TestDB_FailingCommit are enough")
	}
	t.Parallel()
	ctx := t.Context()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	const statement = "TRAIN MODEL m IN g WITH (negatives := 'random')"
	fresh := t.TempDir() + "/file"
	db := querytest.OpenAt(t, fresh)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 150, m := 3, seed := 1) INTO g")
	querytest.Close(t, db)
	again := querytest.CopyStore(t, fresh)
	db = querytest.OpenAt(t, again)
	querytest.MustRun(t, db, statement)
	querytest.MustRun(t, db, "INSERT EDGE ('0', 'x'), ('1', 'x'), ('2', 'x') INTO g")
	querytest.Close(t, db)
	for _, path := range []string{fresh, again} {
		began := time.Now()
		if !querytest.Child(t, querytest.CopyStore(t, path), statement, 1<<30, querytest.Never) {
			t.Fatal("the statement does not end")
		}
		took := time.Since(began)
		for range repeat.Times(4) {
			at := querytest.CopyStore(t, path)
			wait := took/2 + time.Duration(random.Int64N(int64(took/2))) // it writes at the end
			finished := querytest.Child(t, at, statement, 1<<30, wait)
			db := querytest.OpenAt(t, at)
			querytest.MustBeSound(t, db)
			store := querytest.Engine(db).Store
			models, err := store.Models(ctx)
			if err != nil {
				t.Fatal(err)
			}
			list, err := store.Embeddings(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != 3*len(models) || finished && len(models) == 0 {
				t.Errorf("killed after %v: %d models, %d embeddings", wait, len(models), len(list))
			}
			for _, e := range list {
				if e.GraphVersion != models[0].GraphVersion {
					t.Errorf("killed after %v: embedding %s is of version %d, and the model of %d", wait, e.Name, e.GraphVersion, models[0].GraphVersion)
				}
			}
			querytest.Close(t, db)
		}
	}
}
