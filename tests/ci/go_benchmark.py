"""A Go test file with one benchmark, whose time is proportional to a number of rounds: GO_BENCHMARK % rounds."""
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
