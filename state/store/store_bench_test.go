package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// fill makes a store with n jobs in one transaction.
func fill(b *testing.B, n int) *Store {
	b.Helper()
	s := open(b)
	noError(b, s.write(context.Background(), func(t *transaction) {
		for i := range n {
			t.insertIntent(intent(i), fmt.Sprintf("id%014d", i))
		}
		t.run(`UPDATE jobs SET phase='done', owner='' WHERE seq % 50 <> 0`)
	}))
	return s
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		s := fill(b, n)
		for name, q := range map[string]Query{"first": {Limit: 60}, "last": {Limit: 60, Offset: n - 60}, "filtered": {Limit: 60, Filter: "dawn 7"}} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if p, err := s.List(context.Background(), q); err != nil || len(p.Rows) == 0 {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		s := fill(b, n)
		path := s.Health().Path
		_ = s.Close()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s := must(Open(context.Background(), path))(b)
				must(s.List(context.Background(), Query{Limit: 60}))(b)
				_ = s.Close()
			}
		})
	}
	b.Run("new", func(b *testing.B) {
		dir, n := b.TempDir(), 0
		for b.Loop() {
			n++
			s := must(Open(context.Background(), filepath.Join(dir, fmt.Sprint(n))))(b)
			_ = s.Close()
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	s := fill(b, 10_000)
	n := 1_000_000
	for b.Loop() {
		n++
		in := intent(n)
		in.Budget = 1 << 60
		if _, _, err := s.Record(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}
