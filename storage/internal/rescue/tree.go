package rescue

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
)

// tree reads the tree of a damaged file with plain reads, and skips whatever is broken.
type tree struct {
	ctx    context.Context
	file   page.File
	losses *Losses
}

// found is a value of a damaged file: a record, or the head of a bucket.
type found struct {
	key, value []byte
	bucket     bool
}

// records reads all values of a bucket that can be read, in the order of the
// tree.
func (t *tree) records(b found, where string, f func(e found) error) error {
	if len(b.value) < page.BucketHead {
		t.losses.add(where, errors.New("damaged head of a bucket"))
		return nil
	}
	root := block.Native.Uint64(b.value)
	if root == 0 {
		return t.inline(b.value[page.BucketHead:], where, f)
	}
	return t.pages(root, where, page.NewSet(t.file.Meta.HighWater), 0, f)
}

// pages reads the page id and those below it.
func (t *tree) pages(id uint64, where string, seen page.Set, depth int, f func(e found) error) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if depth > page.MaxDepth || id >= t.file.Meta.HighWater || !seen.Add(id) {
		t.losses.add(where, fmt.Errorf("page %d is out of place", id))
		return nil
	}
	p, err := t.file.Read(id)
	if err != nil {
		t.losses.add(where, err)
		return nil
	}
	defer t.file.Release(p)
	if p.Flags != page.BranchFlag && p.Flags != page.LeafFlag {
		t.losses.add(where, fmt.Errorf("page %d has type %#x", id, p.Flags))
		return nil
	}
	elements, fault := t.file.Salvage(p)
	if fault != nil {
		t.losses.add(where, fault)
	}
	for _, e := range elements {
		if p.Flags == page.BranchFlag {
			err = t.pages(e.Child, where, seen, depth+1, f)
		} else {
			err = t.element(p, e, where, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// element reads a value of a leaf page.
func (t *tree) element(p *page.Page, e page.Element, where string, f func(e found) error) error {
	key, err := t.file.Bytes(p, e.At, e.KeySize)
	var value []byte
	if err == nil {
		value, err = t.file.Bytes(p, e.At+e.KeySize, e.ValueSize)
	}
	if err == nil && e.Flags > page.BucketElement {
		err = fmt.Errorf("page %d: element of type %#x", p.ID, e.Flags)
	}
	if err != nil {
		t.losses.add(where, err)
		return nil
	}
	return f(found{key: bytes.Clone(key), value: bytes.Clone(value), bucket: e.Flags == page.BucketElement})
}

// inline reads the values of a bucket that is stored in its head.
func (t *tree) inline(b []byte, where string, f func(e found) error) error {
	elements, err := page.InlineElements(b)
	if err != nil {
		t.losses.add(where, err)
		return nil
	}
	for _, e := range elements {
		end := e.At + e.KeySize
		if err := f(found{key: b[e.At:end], value: b[end : end+e.ValueSize]}); err != nil {
			return err
		}
	}
	return nil
}
