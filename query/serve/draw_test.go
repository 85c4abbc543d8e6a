package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/remote"
	"heavytail/query/rows"
	"heavytail/query/serve"
)

// TestServe_Draw asks for pictures of several lengths, of bytes that are no text, and gets them whole, with their
// remarks and errors, under the limits of statements.
func TestServe_Draw(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var picture []byte
	s := start(t, query.Options{}, &serve.Options{
		MaxRows: 3, TimeLimit: time.Second,
		Draw: func(ctx context.Context, args []string, form string) ([]byte, []rows.Notice, error) {
			switch args[0] {
			case "wait":
				<-ctx.Done()
				return nil, nil, ctx.Err()
			case "fail":
				return picture, nil, errors.New("there is nothing to draw")
			}
			return picture, []rows.Notice{{Text: fmt.Sprint(args, form)}}, nil
		},
	})
	db := s.client()
	for _, n := range []int{0, 1, 16 << 10, 16<<10 + 1, 5 << 20} {
		picture = make([]byte, n)
		for i := range picture {
			picture[i] = byte(random.Uint32())
		}
		got, notices, err := db.Draw(t.Context(), []string{"graph", "--title=Zoë", "g"}, "png")
		if err != nil || !bytes.Equal(got, picture) || !slices.Equal(notices, []rows.Notice{{Text: "[graph --title=Zoë g]png"}}) {
			t.Errorf("%d bytes: got %d, %v, %v", n, len(got), notices, err)
		}
	}
	if _, _, err := db.Draw(t.Context(), []string{"wait"}, "svg"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	if _, _, err := db.Draw(ctx, []string{"wait"}, "svg"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, _, err := db.Draw(t.Context(), []string{"fail"}, "svg"); err == nil || got != nil {
		t.Error(got, err)
	}
	if _, _, err := db.Draw(t.Context(), nil, "svg"); !errors.Is(err, remote.ErrRequest) {
		t.Error(err)
	}
	other := start(t, query.Options{}, nil).client()
	if _, _, err := other.Draw(t.Context(), []string{"graph"}, "svg"); !errors.Is(err, remote.ErrRequest) {
		t.Error(err)
	}
	if _, err := other.Query(t.Context(), "SHOW GRAPHS", nil); err != nil {
		t.Error(err)
	}
}
