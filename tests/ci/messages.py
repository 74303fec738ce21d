"""Reads protobuf messages without their schema."""


def fields(message):
    """Yields (number, value) of each field of a protobuf message. Texts and messages are bytes."""
    at, found = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = varint()
        if key & 7 == 2:
            size = varint()
            found.append((key >> 3, message[at:at + size]))
            at += size
        else:
            found.append((key >> 3, varint()))
    return found
