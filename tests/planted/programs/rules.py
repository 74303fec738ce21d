"""Rules of prices, in a module of their own."""


def discount(count, steps):
    factor = 1.0
    for step in range(steps):
        factor *= 1 - 0.01 * (count > step)
    return factor
