package main

import (
	stdjson "encoding/json"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"google.golang.org/protobuf/proto"
)

type writer func(any, schema) ([]byte, error)

var writers = map[string]writer{
	"encoding/json":       from(stdjson.Marshal),
	"goccy/go-json":       from(gojson.Marshal),
	"vmihailenco/msgpack": from(msgpack.Marshal),
	"tinylib/msgp":        from(func(value any) ([]byte, error) { return msgp.AppendIntf(nil, value) }),
	"fxamacker/cbor":      from(cbor.Marshal),
	"mongo-driver/bson":   from(bson.Marshal),
	"hamba/avro":          dumpAvro,
	"protobuf/dynamicpb":  from(func(value any) ([]byte, error) { return proto.Marshal(value.(proto.Message)) }),
}

// from adapts the usual Marshal function, which needs no schema.
func from(marshal func(any) ([]byte, error)) writer {
	return func(value any, _ schema) ([]byte, error) { return marshal(value) }
}

func dumpAvro(value any, given schema) ([]byte, error) {
	api, parsed, err := avroAPI(given)
	if err != nil {
		return nil, err
	}
	return api.Marshal(parsed, value)
}

// dump returns what a library writes of the value that it reads.
func dump(load loader, write writer, given schema, content []byte) ([]byte, error) {
	value, err := load(content)
	if err != nil {
		return nil, err
	}
	return write(value, given)
}
