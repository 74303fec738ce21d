"""Creates a profile.proto from stacks of (function, file, line), leaf first, with one value each."""


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def profile(stacks, kind=("cpu", "nanoseconds"), period=10_000_000, duration=10_000_000_000, time=0, types=2):
    """Returns the bytes of a profile. `stacks` are pairs of a stack and its number of samples; values are samples times
    the period. `time` is in seconds since 1970. `types` is the number of sample types. All types except the last have
    the values of the first."""
    strings, functions, locations = {"": 0}, {}, {}

    def text(value):
        return strings.setdefault(value, len(strings))

    def location(frame):
        name, file, _ = frame
        functions.setdefault((name, file), len(functions) + 1)
        return locations.setdefault(frame, len(locations) + 1)

    body = b"".join(field(1, field(1, text(name)) + field(2, text("count")))
                    for name in ["samples"] + [f"more{n}" for n in range(types - 2)])
    body += field(1, field(1, text(kind[0])) + field(2, text(kind[1])))
    for stack, count in stacks:
        ids = b"".join(varint(location(frame)) for frame in stack)
        body += field(2, field(1, ids) + field(2, varint(count) * (types - 1) + varint(count * period)))
    for (name, file, line), number in locations.items():
        body += field(4, field(1, number) + field(4, field(1, functions[name, file]) + field(2, line)))
    for (name, file), number in functions.items():
        body += field(5, field(1, number) + field(2, text(name)) + field(3, text(name)) + field(4, text(file)))
    if time:
        body += field(9, time * 10**9)
    body += field(10, duration) + field(11, field(1, text(kind[0])) + field(2, text(kind[1]))) + field(12, period)
    for value in strings:
        body += field(6, value.encode())
    return body
