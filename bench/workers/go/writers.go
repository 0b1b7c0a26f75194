package main

import (
	stdjson "encoding/json"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type writer func(any) ([]byte, error)

var writers = map[string]writer{
	"encoding/json":       stdjson.Marshal,
	"goccy/go-json":       gojson.Marshal,
	"vmihailenco/msgpack": msgpack.Marshal,
	"tinylib/msgp":        func(value any) ([]byte, error) { return msgp.AppendIntf(nil, value) },
	"fxamacker/cbor":      cbor.Marshal,
	"mongo-driver/bson":   bson.Marshal,
}

// dump returns what a library writes of the value that it reads.
func dump(load func([]byte) (any, error), write writer, content []byte) ([]byte, error) {
	value, err := load(content)
	if err != nil {
		return nil, err
	}
	return write(value)
}
