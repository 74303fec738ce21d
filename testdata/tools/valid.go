package main

// The small valid profiles: each shows one corner of the format.

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
)

// message collects the fields of a profile; strings are numbered as they are first used.
type message struct {
	out     []byte
	numbers map[string]uint64
	strings []string
}

func newMessage() *message {
	return &message{numbers: map[string]uint64{"": 0}, strings: []string{""}}
}

func (m *message) str(s string) uint64 {
	number, ok := m.numbers[s]
	if !ok {
		number = uint64(len(m.strings))
		m.numbers[s] = number
		m.strings = append(m.strings, s)
	}
	return number
}

func (m *message) number(field int, value uint64)    { m.out = appendVarint(m.out, field, value) }
func (m *message) bytes(field int, payload []byte)   { m.out = appendBytes(m.out, field, payload) }
func (m *message) types(field int, typ, unit string) { m.bytes(field, ints(m.str(typ), m.str(unit))) }

func (m *message) function(id uint64, name, system, file string, start uint64) {
	m.bytes(fieldFunction, ints(id, m.str(name), m.str(system), m.str(file), start))
}

// location has one line for each (function, line, column) triple, innermost inlined call first.
func (m *message) location(id, mapping, address uint64, folded uint64, lines ...uint64) {
	payload := ints(id, mapping, address)
	for i := 0; i+2 < len(lines); i += 3 {
		payload = appendBytes(payload, 4, ints(lines[i:i+3]...))
	}
	if folded != 0 {
		payload = appendVarint(payload, 5, folded)
	}
	m.bytes(fieldLocation, payload)
}

func packed(values ...uint64) []byte {
	var out []byte
	for _, value := range values {
		out = binary.AppendUvarint(out, value)
	}
	return out
}

// sample has packed locations and values and finished label messages.
func (m *message) sample(locations, values []uint64, labels ...[]byte) {
	payload := appendBytes(nil, 1, packed(locations...))
	payload = appendBytes(payload, 2, packed(values...))
	for _, label := range labels {
		payload = appendBytes(payload, 3, label)
	}
	m.bytes(fieldSample, payload)
}

func (m *message) text(key, value string) []byte { return ints(m.str(key), m.str(value)) }

func (m *message) numeric(key string, value int64, unit string) []byte {
	return ints(m.str(key), 0, uint64(value), m.str(unit))
}

// finish puts the string table last and returns the whole message.
func (m *message) finish() []byte {
	for _, s := range m.strings {
		m.bytes(fieldString, []byte(s))
	}
	return m.out
}

// program adds what most of the profiles share: main calls work calls leaf.
func (m *message) program() {
	m.types(fieldSampleType, "samples", "count")
	m.types(fieldSampleType, "cpu", "nanoseconds")
	m.bytes(fieldMapping, appendVarint(ints(1, 0x400000, 0x500000, 0, m.str("/app/program"),
		m.str("0123456789abcdef")), 7, 1))
	m.location(1, 1, 0x401000, 0, 1, 11, 0)
	m.location(2, 1, 0x402000, 0, 2, 22, 0)
	m.location(3, 1, 0x403000, 0, 3, 33, 0)
	m.function(1, "leaf", "leaf", "leaf.c", 10)
	m.function(2, "work", "work", "work.c", 20)
	m.function(3, "main", "main", "main.c", 30)
}

func minimal() []byte {
	m := newMessage()
	m.program()
	m.sample([]uint64{1, 2, 3}, []uint64{3, 30000000})
	m.sample([]uint64{2, 3}, []uint64{1, 10000000})
	return m.finish()
}

func labels() []byte {
	m := newMessage()
	m.program()
	m.sample([]uint64{1, 2, 3}, []uint64{1, 10}, m.text("user", "alice"), m.text("user", "bob"),
		m.text("route", "/a b?c=\"d\""), m.numeric("bytes", 4096, "bytes"))
	m.sample([]uint64{1, 2, 3}, []uint64{2, 20}, m.numeric("bytes", -5, ""),
		m.numeric("bytes", 1<<40, "bytes"), m.numeric("wait", 1500, "microseconds"))
	m.sample([]uint64{1, 2, 3}, []uint64{4, 40}, m.numeric("dropped", 0, ""),
		m.numeric("kept", 0, "seconds"), m.text("tag:with:colons", "x,y"))
	return m.finish()
}

func inlined() []byte {
	m := newMessage()
	m.program()
	m.location(4, 1, 0x404000, 1, 4, 41, 7, 5, 52, 9, 2, 23, 3)
	m.function(4, "shop::total(int)", "_ZN4shop5totalEi", "shop.cc", 40)
	m.function(5, "shop::add<int>(int)", "_ZN4shop3addIiEEvT_", "shop.cc", 50)
	m.sample([]uint64{4, 3}, []uint64{7, 70000000})
	m.sample([]uint64{1, 4, 3}, []uint64{2, 20000000})
	m.sample([]uint64{4, 4, 4, 3}, []uint64{1, 10000000})
	return m.finish()
}

func allFields() []byte {
	m := newMessage()
	m.program()
	kernel := ints(7, 0xffffffff80000000, 0xffffffff90000000, 0x1000,
		m.str("[kernel.kallsyms]_text"), m.str("feed"), 1, 1, 1, 1)
	m.bytes(fieldMapping, kernel)
	m.location(9, 7, 0xffffffff80001000, 0, 9, 90, 9)
	m.function(9, "sys_read", "sys_read", "fs/read_write.c", 88)
	m.sample([]uint64{9, 1, 2, 3}, []uint64{5, 50000000}, m.text("thread", "main"))
	m.number(7, m.str("malloc|free"))
	m.number(8, m.str("keep_me"))
	m.number(fieldTime, 1700000000123456789)
	m.number(fieldDuration, 2500000000)
	m.types(fieldPeriodType, "cpu", "nanoseconds")
	m.number(fieldPeriod, 10000000)
	m.number(fieldComment, m.str("first comment"))
	m.number(fieldComment, m.str("second comment"))
	m.number(fieldDefaultType, m.str("cpu"))
	m.number(fieldDocURL, m.str("https://example.com/profile"))
	return m.finish()
}

// unpacked writes every element of a repeated number as a field of its own.
func unpacked() []byte {
	m := newMessage()
	m.program()
	for _, stack := range [][]uint64{{1, 2, 3}, {2, 3}} {
		var payload []byte
		for _, id := range stack {
			payload = appendVarint(payload, 1, id)
		}
		payload = appendVarint(payload, 2, uint64(2*len(stack)-3))
		payload = appendVarint(payload, 2, uint64(20000000*len(stack)-30000000))
		m.bytes(fieldSample, payload)
	}
	return m.finish()
}

// unknownFields has fields that no reader knows, of every wire type, outside and inside a sample.
func unknownFields() []byte {
	m := newMessage()
	m.program()
	m.sample([]uint64{1, 2, 3}, []uint64{3, 30000000}, nil)
	unknown := appendVarint(nil, 100, 7)
	unknown = append(binary.AppendUvarint(unknown, 101<<3|1), 1, 2, 3, 4, 5, 6, 7, 8)
	unknown = appendBytes(unknown, 102, []byte("skipped"))
	unknown = append(binary.AppendUvarint(unknown, 103<<3|5), 1, 2, 3, 4)
	m.out = append(m.out, unknown...)
	payload := append(appendBytes(nil, 1, packed(2, 3)), unknown...)
	m.bytes(fieldSample, appendBytes(payload, 2, packed(1, 10000000)))
	return m.finish()
}

func oddNames() []byte {
	m := newMessage()
	m.types(fieldSampleType, "samples", "count")
	names := []string{
		"<script>alert(1)</script>", `quote " and ' and \ and ]]> and &amp;`, "tab\there",
		"new\nline", "escape \x1b[31mred\x1b[0m", "nul\x00byte", "broken utf-8 \xff\xfe\xc3(",
		"\u05e9\u05dc\u05d5\u05dd \u202eright to left", "semi;colon", "  spaces  ", "",
		strings.Repeat("long_name_", 1000), "operator()<a, b>::~c(d::e<f>)", "%s%n %d", "-top",
	}
	for i, name := range names {
		id := uint64(i + 1)
		m.function(id, name, name, name+".c", 0)
		m.location(id, 0, 0, 0, id, id, 0)
		m.sample([]uint64{id, 1}, []uint64{id})
	}
	return m.finish()
}

func sparseIDs() []byte {
	m := newMessage()
	m.types(fieldSampleType, "samples", "count")
	const top = ^uint64(0)
	m.sample([]uint64{top, 5, 1 << 40}, []uint64{3})
	m.location(1<<40, 0, 0, 0, top, 1, 0)
	m.location(5, 99, 0x1234, 0, 7, 2, 0)
	m.location(top, 0, top, 0, 7, 3, 0)
	m.function(7, "seven", "seven", "", 0)
	m.function(top, "top", "top", "", 0)
	return m.finish()
}

func signedValues() []byte {
	m := newMessage()
	m.program()
	minus := func(n int64) uint64 { return uint64(-n) }
	m.sample([]uint64{1, 2, 3}, []uint64{minus(3), minus(30000000)})
	m.sample([]uint64{2, 3}, []uint64{1<<63 - 1, 1})
	m.sample([]uint64{3}, []uint64{0, 0})
	m.sample(nil, []uint64{1, 5})
	return m.finish()
}

func noSamples() []byte {
	m := newMessage()
	m.types(fieldSampleType, "samples", "count")
	return m.finish()
}

// units has several units for a key; the first one is on no stack that comes first, and a sample of zeros has another.
func units() []byte {
	m := newMessage()
	m.program()
	m.sample([]uint64{3}, []uint64{0, 0}, m.numeric("a", 1, "seconds"), m.numeric("b", 1, "bytes"))
	m.sample([]uint64{2, 3}, []uint64{1, 10}, m.numeric("a", 1, "kilobytes"))
	m.sample([]uint64{1, 2, 3}, []uint64{2, 20}, m.numeric("a", 2, "bytes"), m.numeric("b", 2, "ms"))
	m.sample([]uint64{2, 3}, []uint64{3, 30}, m.numeric("b", 3, "seconds"))
	return m.finish()
}

// members compresses each half of the message by itself: a gzip file of two members.
func members(message []byte) []byte {
	half := len(message) / 2
	return append(compress(message[:half]), compress(message[half:])...)
}

// madeFile is a file that is made and not recorded.
type madeFile struct {
	name string
	what string
	data []byte
}

func validFiles() []madeFile {
	return []madeFile{
		{"minimal.pb", "two samples, three functions, not compressed", minimal()},
		{"minimal.pb.gz", "minimal.pb compressed", compress(minimal())},
		{"multi_member.pb.gz", "minimal.pb as a gzip file of two members", members(minimal())},
		{"unpacked.pb", "minimal.pb with its repeated numbers unpacked", unpacked()},
		{"unknown_fields.pb", "minimal.pb with unknown fields of every wire type", unknownFields()},
		{"no_samples.pb", "a sample type and nothing else", noSamples()},
		{"labels.pb.gz", "several values for a key, units, a zero that is dropped", compress(labels())},
		{"units.pb", "several units for a key, on several stacks and on a sample of zeros", units()},
		{"inlined.pb.gz", "inlined calls, columns, recursion, mangled names", compress(inlined())},
		{"all_fields.pb.gz", "every field of the format", compress(allFields())},
		{"odd_names.pb.gz", "names that must reach no terminal or page raw", compress(oddNames())},
		{"sparse_ids.pb", "ids up to 2^64-1 in no order, a mapping that is not there", sparseIDs()},
		{"signed_values.pb", "negative, huge and zero values, an empty stack", signedValues()},
	}
}

func writeFiles(dir string, files []madeFile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeValid(dir string) error { return writeFiles(dir, validFiles()) }
