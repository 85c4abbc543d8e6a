package remote_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/remote"
)

// TestDB_BrokenInput reads an input that breaks off: its error is that of the statement, whether the server
// answers the cancellation or goes away.
func TestDB_BrokenInput(t *testing.T) {
	cancelled := `{"id":1,"error":{"kind":"other","message":"cancelled","codes":["context.Canceled"]}}`
	for answer, lost := range map[string]bool{cancelled: false, "": true} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			lines := bufio.NewScanner(conn)
			lines.Scan() // the hello
			fmt.Fprintln(conn, `{"heavytail":1,"file":"f.ht"}`)
			lines.Scan() // the statement
			fmt.Fprintln(conn, `{"id":1,"input":true}`)
			for lines.Scan() && !strings.Contains(lines.Text(), `"cancel"`) {
			}
			fmt.Fprintln(conn, answer)
		}()
		db, err := remote.Dial(t.Context(), listener.Addr().String(), "token")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		broken := errors.New("the disk is broken")
		input := io.MultiReader(strings.NewReader("a b\n"), iotest.ErrReader(broken))
		_, err = db.Execute(t.Context(), query.Request{Source: parser.Source{Text: "IMPORT '-' INTO g"}, Input: input})
		if !errors.Is(err, broken) || errors.Is(err, remote.ErrLost) != lost {
			t.Errorf("answer %q: %v", answer, err)
		}
	}
}
