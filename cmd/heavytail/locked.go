package main

import (
	"context"
	"errors"
	"fmt"

	"heavytail/query/remote"
	"heavytail/storage"
)

// served adds to the error of a file that is locked what a server on it does.
func served(path string, err error) error {
	if !errors.Is(err, storage.ErrLocked) {
		return err
	}
	client, none := remote.Open(context.Background(), path) // which takes seconds at most
	if none != nil {
		return err
	}
	client.Close()
	return fmt.Errorf("%w; it serves the file: heavytail exec runs statements there", err)
}
