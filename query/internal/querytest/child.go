package querytest

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"heavytail/query"
)

// ChildEnv makes the test binary a child that computes an embedding: the path of
// the store, the statement, and the checkpoint point before which it dies.
const ChildEnv = "HEAVYTAIL_QUERY_CHILD"

// RunChild does the work of a child process, if this is one.
func RunChild() bool {
	args := strings.Split(os.Getenv(ChildEnv), "\n")
	if len(args) != 3 {
		return false
	}
	fail := func(err error) {
		if err != nil {
			fmt.Println("child:", err)
			os.Exit(3)
		}
	}
	// Small batches, so that a kill can come between them. Another process may hold the file
	// for long if the machine is busy.
	db, err := query.Open(args[0], &query.Options{BatchBytes: 128 << 10, LockTimeout: time.Hour})
	fail(err)
	Eager(db)
	var dies int
	_, err = fmt.Sscan(args[2], &dies)
	fail(err)
	points := 0
	die := func() {
		self, err := os.FindProcess(os.Getpid())
		fail(err)
		fail(self.Kill())
		select {}
	}
	Engine(db).Runner.AtCheckpoint = func(string) {
		if points == dies {
			die()
		}
		points++
	}
	if dies == AtRecord {
		Engine(db).Runner.Every = time.Hour
		Engine(db).Runner.AtRecord = die
	}
	ctx := context.Background()
	_, err = db.Query(ctx, args[1], nil)
	fail(err)
	list, err := db.Jobs().List(ctx)
	fail(err)
	for _, j := range list { // jobs in the background
		_, err = db.Jobs().Wait(ctx, j.ID)
		fail(err)
	}
	fail(db.Close())
	fmt.Println("done")
	return true
}

// Never is a time limit that no child reaches: however long it runs, it ends or dies at its
// checkpoint point first.
const Never = time.Duration(math.MaxInt64)

// AtRecord is a checkpoint point before all others: when the running job has its record.
const AtRecord = -2

// Child runs a statement in a child process, which dies at a checkpoint point or is killed
// after a time, and reports whether the statement finished.
func Child(t *testing.T, path, statement string, dies int, wait time.Duration) (finished bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), ChildEnv+"="+strings.Join([]string{path, statement, fmt.Sprint(dies)}, "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = lines.Text()
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == 3 {
		t.Fatal(last)
	}
	return err == nil
}
