package format

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"testing"
)

func BenchmarkReadEdgeList(b *testing.B) {
	const edges = 1_000_000
	for _, sep := range []byte{'\t', ','} {
		text := numbers(edges, sep)
		b.Run(fmt.Sprintf("sep=%q/reader=own", sep), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				stats, err := ReadEdgeList(context.Background(), bytes.NewReader(text), EdgeListOptions{}, func(Edge) error { return nil })
				if err != nil || stats.Edges != edges {
					b.Fatal(stats, err)
				}
			}
		})
		b.Run(fmt.Sprintf("sep=%q/reader=parser", sep), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p := newParser(EdgeListOptions{}.withDefaults(), false, func(Edge) error { return nil })
				for t := text; len(t) > 0; t = t[min(blockBytes, len(t)):] {
					p.block(t[:min(blockBytes, len(t))])
				}
			}
		})
		b.Run(fmt.Sprintf("sep=%q/reader=csv", sep), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := csv.NewReader(bytes.NewReader(text))
				r.Comma, r.ReuseRecord = rune(sep), true
				for {
					if _, err := r.Read(); err == io.EOF {
						break
					}
				}
			}
		})
	}
	text := numbers(edges, ' ')
	b.Run("sha", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			sha256.Sum256(text)
		}
	})
}
