package main

// Just enough of the protocol buffer wire format to copy, write and damage profiles.

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
)

// Field numbers of Profile in proto/profile.proto that are used here.
const (
	fieldSampleType  = 1
	fieldSample      = 2
	fieldMapping     = 3
	fieldLocation    = 4
	fieldFunction    = 5
	fieldString      = 6
	fieldTime        = 9
	fieldDuration    = 10
	fieldPeriodType  = 11
	fieldPeriod      = 12
	fieldComment     = 13
	fieldDefaultType = 14
	fieldDocURL      = 15
)

// field is one top-level field: number, wire type, and either a value or a payload.
type field struct {
	number  int
	wire    int
	value   uint64
	payload []byte
}

// fixedSizes are the bytes of fields whose wire type says their size.
var fixedSizes = map[int]uint64{1: 8, 5: 4}

var errTruncated = errors.New("truncated protocol buffer")

// splitFields cuts a message into its fields; the value of a fixed-width field is in its payload.
func splitFields(message []byte) ([]field, error) {
	var fields []field
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, errTruncated
		}
		message = message[n:]
		f := field{number: int(tag >> 3), wire: int(tag & 7)}
		size, fixed := fixedSizes[f.wire]
		if !fixed {
			if f.value, n = binary.Uvarint(message); n <= 0 || f.wire != 0 && f.wire != 2 {
				return nil, errTruncated
			}
			message = message[n:]
			if f.wire == 2 {
				size = f.value
			}
		}
		if size > uint64(len(message)) {
			return nil, errTruncated
		}
		f.payload, message = message[:size], message[size:]
		fields = append(fields, f)
	}
	return fields, nil
}

func appendVarint(out []byte, number int, value uint64) []byte {
	out = binary.AppendUvarint(out, uint64(number)<<3)
	return binary.AppendUvarint(out, value)
}

func appendBytes(out []byte, number int, payload []byte) []byte {
	out = binary.AppendUvarint(out, uint64(number)<<3|2)
	out = binary.AppendUvarint(out, uint64(len(payload)))
	return append(out, payload...)
}

// ints is a message whose fields 1, 2, 3... are the given numbers; zeros are left out.
func ints(values ...uint64) []byte {
	var out []byte
	for i, value := range values {
		if value != 0 {
			out = appendVarint(out, i+1, value)
		}
	}
	return out
}

func compress(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // a fixed level cannot fail
	_, _ = w.Write(data)                                    // nor can a buffer
	_ = w.Close()
	return out.Bytes()
}

func isGzip(data []byte) bool { return len(data) > 2 && data[0] == 0x1f && data[1] == 0x8b }

func decompress(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
