"""A Go test file with one benchmark. `GO_BENCHMARK % rounds` sets the number of rounds, which is proportional to the
time."""
GO_BENCHMARK = """package words

import "testing"

func BenchmarkCount(b *testing.B) {
	for i := 0; i < b.N; i++ {
		n := 0
		for k := 0; k < %d; k++ {
			n += k ^ i
		}
		if n == 42 {
			b.Log(n)
		}
	}
}
"""
