//go:build ignore

// Writes made_17.otlp and made_16.otlp: OTLP profiles with every field that version 1.8 changed, by the generated types of
// go.opentelemetry.io/proto/otlp v1.7.0. In version 1.6 the tables of the dictionary are fields 2 to 8 of the message.
package main

import (
	"os"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

func index(i int32) *int32 { return &i }

func main() {
	strings := []string{"", "cpu", "nanoseconds", "events", "count", "work", "main", "work.c", "made by hand", "size", "bytes", "/bin/shop"}
	profile := &profiles.Profile{
		SampleType:             []*profiles.ValueType{{TypeStrindex: 3, UnitStrindex: 4}, {TypeStrindex: 1, UnitStrindex: 2}},
		PeriodType:             &profiles.ValueType{TypeStrindex: 1, UnitStrindex: 2},
		Period:                 1000,
		TimeNanos:              1700000000000000000,
		DurationNanos:          5000000000,
		CommentStrindices:      []int32{8},
		LocationIndices:        []int32{1, 0, 2, 0},
		DefaultSampleTypeIndex: 1,
		AttributeIndices:       []int32{2},
		Sample: []*profiles.Sample{
			{LocationsStartIndex: 0, LocationsLength: 2, Value: []int64{2, 2000}, AttributeIndices: []int32{0, 1}, LinkIndex: index(0)},
			{LocationsStartIndex: 2, LocationsLength: 2, Value: []int64{3, 3000}, AttributeIndices: []int32{0}},
			{LocationsStartIndex: 1, LocationsLength: 1, Value: []int64{1, 1000}, TimestampsUnixNano: []uint64{1700000000000000001}},
		},
	}
	mappings := []*profiles.Mapping{{MemoryStart: 0x1000, MemoryLimit: 0x2000, FilenameStrindex: 11, HasFunctions: true, HasLineNumbers: true}}
	functions := []*profiles.Function{{NameStrindex: 6, FilenameStrindex: 7, StartLine: 10}, {NameStrindex: 5, SystemNameStrindex: 5, FilenameStrindex: 7}}
	locations := []*profiles.Location{
		{MappingIndex: index(0), Address: 0x1010, Line: []*profiles.Line{{FunctionIndex: 0, Line: 12}}},
		{MappingIndex: index(0), Address: 0x1020, Line: []*profiles.Line{{FunctionIndex: 1, Line: 3, Column: 4}, {FunctionIndex: 0, Line: 13}}},
		{Address: 0x30, IsFolded: true, Line: []*profiles.Line{{FunctionIndex: 1, Line: 5}}},
	}
	links := []*profiles.Link{{TraceId: []byte("0123456789abcdef"), SpanId: []byte("01234567")}}
	attributes := []*common.KeyValue{text("thread.name", "worker"), number("size", 64), text("host", "shop")}
	units := []*profiles.AttributeUnit{{AttributeKeyStrindex: 9, UnitStrindex: 10}}
	dictionary := marshal(&profiles.ProfilesDictionary{MappingTable: mappings, LocationTable: locations, FunctionTable: functions,
		LinkTable: links, StringTable: strings, AttributeTable: attributes, AttributeUnits: units})
	scope := &profiles.ScopeProfiles{Profiles: []*profiles.Profile{profile}}
	head := marshal(&profiles.ProfilesData{ResourceProfiles: []*profiles.ResourceProfiles{{ScopeProfiles: []*profiles.ScopeProfiles{scope}}}})
	write("made_17.otlp", protowire.AppendBytes(protowire.AppendTag(head[:len(head):len(head)], 2, protowire.BytesType), dictionary))
	for len(dictionary) > 0 {
		number, kind, size := protowire.ConsumeTag(dictionary)
		entry, more := protowire.ConsumeBytes(dictionary[size:])
		head = protowire.AppendBytes(protowire.AppendTag(head, number+1, kind), entry)
		dictionary = dictionary[size+more:]
	}
	write("made_16.otlp", head)
}

func marshal(message proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

func write(name string, data []byte) {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		panic(err)
	}
}
