// Command worker reads and writes payloads with libraries of Go; docs/reference/worker.md describes the messages.
package main

import (
	"bufio"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	contentMost = 64 << 20 // bytes of a value's text: more is not accepted
	messageMost = 1000     // bytes of an error's text
)

type library struct {
	name, format, module string
	load                 loader
	bind                 func(schema) (loader, error) // if the format needs a schema
}

// into adapts the usual Unmarshal function to a value of any type.
func into(unmarshal func([]byte, any) error) func([]byte) (any, error) {
	return func(payload []byte) (value any, err error) {
		err = unmarshal(payload, &value)
		return
	}
}

var libraries = []library{
	{"encoding/json", "json", "", into(stdjson.Unmarshal), nil},
	{"goccy/go-json", "json", "github.com/goccy/go-json", into(func(b []byte, v any) error { return gojson.Unmarshal(b, v) }), nil},
	{"vmihailenco/msgpack", "msgpack", "github.com/vmihailenco/msgpack/v5", into(msgpack.Unmarshal), nil},
	{"tinylib/msgp", "msgpack", "github.com/tinylib/msgp", func(payload []byte) (any, error) {
		value, rest, err := msgp.ReadIntfBytes(payload)
		if err == nil && len(rest) > 0 {
			err = errors.New("data after the value")
		}
		return value, err
	}, nil},
	{"fxamacker/cbor", "cbor", "github.com/fxamacker/cbor/v2", into(cbor.Unmarshal), nil},
	{"mongo-driver/bson", "bson", "go.mongodb.org/mongo-driver/v2", func(payload []byte) (any, error) {
		var value bson.D
		err := bson.Unmarshal(payload, &value)
		return value, err
	}, nil},
	{"hamba/avro", "avro", "github.com/hamba/avro/v2", nil, bindAvro},
	{"protobuf/dynamicpb", "protobuf", "google.golang.org/protobuf", nil, bindProtobuf},
}

// head is the JSON of a message.
type head struct {
	Kind    string `json:"kind"`
	Library string `json:"library"`
	Schema  schema `json:"schema"`
	Sizes   []int  `json:"sizes"`
	Slices  int    `json:"slices"`
	SliceNs int64  `json:"slice_ns"`
	Seed    int64  `json:"seed"`
}

func hello() map[string]any {
	versions := map[string]string{"": runtime.Version()[2:]}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, each := range info.Deps {
			versions[each.Path] = each.Version[1:]
		}
	}
	known := []any{}
	for i, each := range all {
		one := map[string]any{
			"name": each.name, "format": each.format, "version": versions[each.module], "typed": i >= len(libraries),
		}
		if writers[each.name] != nil {
			one["writer"] = each.name
		}
		known = append(known, one)
	}
	return map[string]any{"kind": "hello", "protocol": 1, "language": "Go", "version": versions[""], "libraries": known}
}

func check(load func([]byte) (any, error), content []byte) ([]byte, error) {
	value, err := load(content)
	if err != nil {
		return nil, err
	}
	form, err := canonical(value, 0)
	if err != nil {
		return nil, err
	}
	text, err := stdjson.Marshal(form)
	if len(text) > contentMost {
		return nil, fmt.Errorf("the value's text has more than %d bytes", contentMost)
	}
	return text, err
}

func answer(asked head, content []byte) (reply map[string]any, text []byte, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	if asked.Kind == "hello" {
		return hello(), nil, nil
	}
	for _, each := range all {
		if each.name != asked.Library {
			continue
		}
		load, err := each.loader(asked.Schema)
		if err != nil {
			return nil, nil, err
		}
		if asked.Kind == "time" {
			reply, err = measure(load, asked, content)
			return reply, nil, err
		}
		if asked.Kind == "dump" {
			text, err = dump(load, writers[each.name], asked.Schema, content)
			return map[string]any{"kind": "payload"}, text, err
		}
		text, err = check(load, content)
		return map[string]any{"kind": "value"}, text, err
	}
	return nil, nil, fmt.Errorf("unknown library %q", asked.Library)
}

func main() {
	runtime.GOMAXPROCS(1) // garbage is collected on the processor that is timed
	in := bufio.NewReader(os.Stdin)
	for {
		var headSize, contentSize int
		prefix := make([]byte, 18)
		if _, err := io.ReadFull(in, prefix); err != nil {
			return
		}
		fmt.Sscanf(string(prefix), "%x %x", &headSize, &contentSize)
		body := make([]byte, headSize+contentSize+1)
		var asked head
		if _, err := io.ReadFull(in, body); err != nil || stdjson.Unmarshal(body[:headSize], &asked) != nil || asked.Kind == "bye" {
			return
		}
		reply, content, err := answer(asked, body[headSize:headSize+contentSize])
		if err != nil {
			message := err.Error()
			reply, content = map[string]any{"kind": "error", "message": message[:min(len(message), messageMost)]}, nil
		}
		text, _ := stdjson.Marshal(reply)
		fmt.Printf("%08x %08x\n%s%s\n", len(text), len(content), text, content)
	}
}
