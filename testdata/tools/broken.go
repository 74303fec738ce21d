package main

// The broken files: each has one fault and is named by it.

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	malformed    = "malformed profile: "
	unrecognized = "parsing profile: unrecognized profile format"
)

// small makes a profile with one sample type, one location and one function, and lets damage add
// to it or replace its parts.
func small(damage func(m *message)) []byte {
	m := newMessage()
	m.types(fieldSampleType, "samples", "count")
	m.function(1, "main", "main", "main.c", 1)
	m.location(1, 0, 0x1000, 0, 1, 5, 0)
	m.sample([]uint64{1}, []uint64{1})
	damage(m)
	return m.finish()
}

func sound() []byte { return small(func(*message) {}) }

// eleven is a varint of eleven bytes; ten are the most there may be.
func eleven() []byte { return append(bytes.Repeat([]byte{0x80}, 10), 1) }

func flipped(data []byte, at int) []byte {
	out := append([]byte(nil), data...)
	out[at] ^= 0x10
	return out
}

func randomBytes(n int) []byte {
	state, out := uint32(2463534242), make([]byte, n)
	for i := range out {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		out[i] = byte(state >> 8)
	}
	out[0] = 0xff // not the beginning of gzip, nor of a field
	return out
}

// bomb is small and inflates to fifty million samples without values.
func bomb() []byte {
	m := newMessage()
	m.types(fieldSampleType, "samples", "count")
	m.out = append(m.out, bytes.Repeat([]byte{fieldSample<<3 | 2, 0}, 50000000)...)
	return compress(m.finish())
}

func gzipFaults() []madeFile {
	whole := compress(minimal())
	crc := len(whole) - 8
	return []madeFile{
		{"empty_file.pb.gz", "parsing profile: empty input file", nil},
		{"gzip_of_nothing.pb.gz", "parsing profile: empty input file", compress(nil)},
		{"gzip_truncated.pb.gz", "decompressing profile: unexpected end", whole[:len(whole)/2]},
		{"gzip_header_only.pb.gz", "decompressing profile: unexpected end", whole[:10]},
		{"gzip_without_trailer.pb.gz", "decompressing profile: unexpected end", whole[:crc]},
		{"gzip_bit_flipped.pb.gz", "decompressing profile: corrupt input or checksum error",
			flipped(whole, len(whole)/2)},
		{"gzip_wrong_checksum.pb.gz", "decompressing profile: checksum error", flipped(whole, crc)},
		{"gzip_wrong_size.pb.gz", "decompressing profile: checksum error", flipped(whole, crc+4)},
		{"gzip_trailing_garbage.pb.gz", "decompressing profile: invalid header",
			append(append([]byte(nil), whole...), "garbage after the end"...)},
		{"gzip_wrong_header_checksum.pb.gz", "decompressing profile: invalid header",
			withHeaderChecksum(whole)},
		{"gzip_bomb_of_empty_samples.pb.gz",
			malformed + "mismatch: sample has 0 values vs. 1 types; or a passed limit", bomb()},
	}
}

// withHeaderChecksum adds a wrong checksum of the header to a gzip stream.
func withHeaderChecksum(gzip []byte) []byte {
	head := append([]byte(nil), gzip[:10]...)
	head[3] |= 2
	return append(append(head, 0, 0), gzip[10:]...)
}

func wireFaults() []madeFile {
	whole := minimal()
	return []madeFile{
		{"random_bytes.pb", unrecognized, randomBytes(4096)},
		{"text_file.txt", unrecognized, []byte("this is a text file\nand no profile\n")},
		{"proto_truncated.pb", unrecognized, whole[:len(whole)-3]},
		{"wrong_wire_type.pb", unrecognized, small(func(m *message) { m.number(fieldSample, 5) })},
		{"wrong_wire_type_of_number.pb", unrecognized,
			small(func(m *message) { m.bytes(fieldTime, []byte("now")) })},
		{"group_wire_type.pb", unrecognized,
			small(func(m *message) { m.out = append(m.out, 100<<3&0x7f|3|0x80, 100>>4) })},
		{"varint_of_11_bytes.pb", unrecognized,
			small(func(m *message) { m.out = append(append(m.out, fieldPeriod<<3), eleven()...) })},
		{"varint_truncated.pb", unrecognized, append(sound(), fieldPeriod<<3, 0x80)},
		{"length_beyond_end.pb", unrecognized, append(sound(), fieldSample<<3|2, 100, 1, 2)},
		{"length_of_64_bits.pb", unrecognized,
			append(append(sound(), fieldSample<<3|2), packed(^uint64(0))...)},
		{"nested_length_beyond_end.pb", unrecognized,
			small(func(m *message) { m.bytes(fieldSample, []byte{1<<3 | 2, 50, 1}) })},
		{"packed_varint_truncated.pb", unrecognized,
			small(func(m *message) { m.bytes(fieldSample, []byte{1<<3 | 2, 1, 0x80}) })},
		{"ids_split_in_varint.pb", unrecognized,
			small(func(m *message) {
				m.bytes(fieldSample, []byte{1<<3 | 2, 1, 0x81, 1<<3 | 2, 1, 0, 2 << 3, 5})
			})},
		{"string_index_out_of_range.pb", unrecognized,
			small(func(m *message) { m.bytes(fieldFunction, ints(2, 1000)) })},
		{"string_index_negative.pb", unrecognized,
			small(func(m *message) { m.number(fieldComment, ^uint64(0)) })},
		{"first_string_not_empty.pb", unrecognized, appendBytes(nil, fieldString, []byte("x"))},
		{"concatenated.pb", "parsing profile: concatenated profiles detected", concatenated()},
	}
}

// concatenated is what `cat a.pb b.pb` makes.
func concatenated() []byte {
	one := small(func(m *message) { m.number(fieldTime, 1700000000000000000) })
	return append(append([]byte(nil), one...), one...)
}

func ruleFaults() []madeFile {
	return []madeFile{
		{"missing_sample_type.pb", malformed + "missing sample type information",
			func() []byte {
				m := newMessage()
				m.sample(nil, nil)
				return m.finish()
			}()},
		{"value_count_mismatch.pb", malformed + "mismatch: sample has 2 values vs. 1 types",
			small(func(m *message) { m.sample([]uint64{1}, []uint64{1, 2}) })},
		{"sample_with_missing_location.pb", malformed + "sample has nil location",
			small(func(m *message) { m.sample([]uint64{77}, []uint64{1}) })},
		{"mapping_id_0.pb", malformed + "found mapping with reserved ID=0",
			small(func(m *message) { m.bytes(fieldMapping, ints(0, 1, 2)) })},
		{"mapping_duplicate_id.pb", malformed + "multiple mappings with same id: 3",
			small(func(m *message) {
				m.bytes(fieldMapping, ints(3, 1, 2))
				m.bytes(fieldMapping, ints(3, 5, 6))
			})},
		{"function_id_0.pb", malformed + "found function with reserved ID=0",
			small(func(m *message) { m.function(0, "zero", "zero", "", 0) })},
		{"function_duplicate_id.pb", malformed + "multiple functions with same id: 1",
			small(func(m *message) { m.function(1, "again", "again", "", 0) })},
		{"location_id_0.pb", malformed + "found location with reserved id=0",
			small(func(m *message) { m.location(0, 0, 0x2000, 0, 1, 6, 0) })},
		{"location_duplicate_id.pb", malformed + "multiple locations with same id: 1",
			small(func(m *message) { m.location(1, 0, 0x2000, 0, 1, 6, 0) })},
		{"line_with_missing_function.pb", malformed + "location id: 2 has a line with nil function",
			small(func(m *message) { m.location(2, 0, 0x2000, 0, 66, 6, 0) })},
	}
}

// legacyFaults are damaged files of the formats that came before profile.proto.
func legacyFaults() []madeFile {
	return []madeFile{
		{"legacy_heap_without_numbers.heap", "parsing profile: unexpected number of sample values: got 0, want 6",
			[]byte("heap profile: 1: 2 [3: 4] @ heapprofile\n 1: x [3: 4] @ 0x1000\n")},
		{"legacy_cpu_truncated.prof", unrecognized,
			append(bytes.Repeat([]byte{0}, 8), 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
	}
}

func brokenFiles() []madeFile {
	var files []madeFile
	for _, group := range [][]madeFile{gzipFaults(), wireFaults(), ruleFaults(), legacyFaults()} {
		files = append(files, group...)
	}
	return files
}

func writeBroken(dir string) error {
	var text strings.Builder
	text.WriteString("Each file of this folder has one fault, which its name states. pprofc must exit with status 2 and print\n" +
		"one line with the file, the reason and, if it is known, the byte offset. testdata/tools/broken.go writes\n" +
		"the files and this list. The second column is the kind of message, not its exact text.\n\n")
	files := brokenFiles()
	for _, file := range files {
		fmt.Fprintf(&text, "%-36s %s\n", file.name, file.what)
	}
	return writeFiles(dir, append(files, madeFile{name: "README", data: []byte(text.String())}))
}
