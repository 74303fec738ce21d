package main

// Path scrubbing: a recorded profile names the folder it was recorded in.

import (
	"bytes"
	"errors"
	"os"
)

// scrubFile replaces the path prefix from by to: in the string table of a profile, or in the text of
// a legacy profile, whose /proc/self/maps section is last and so may change its length.
func scrubFile(name, from, to string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !isGzip(data) {
		return os.WriteFile(name, bytes.ReplaceAll(data, []byte(from), []byte(to)), 0o644)
	}
	message, err := decompress(data)
	if err != nil {
		return err
	}
	fields, err := splitFields(message)
	if err != nil {
		return err
	}
	var out []byte
	for _, f := range fields {
		switch {
		case f.wire != 0 && f.wire != 2:
			return errors.New("a field of fixed width in a recorded profile")
		case f.wire == 0:
			out = appendVarint(out, f.number, f.value)
		case f.number == fieldString:
			out = appendBytes(out, f.number, bytes.ReplaceAll(f.payload, []byte(from), []byte(to)))
		default:
			out = appendBytes(out, f.number, f.payload)
		}
	}
	return os.WriteFile(name, compress(out), 0o644)
}
