// Package rules has the rules of prices.
package rules

//go:noinline
func Discount(count, steps int) float64 {
	factor := 1.0
	for step := 0; step < steps; step++ {
		if count > step {
			factor *= 0.99
		}
	}
	return factor
}
