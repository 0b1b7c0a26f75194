package main

import (
	stdjson "encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/vmihailenco/msgpack/v5"
)

// structs read into structs, whose types are made of a JSON Schema: these libraries find the fields of any type
// by reflection, once.
var structs = []library{
	{"encoding/json struct", "json", "", nil, typed(stdjson.Unmarshal)},
	{"goccy/go-json struct", "json", "github.com/goccy/go-json", nil, typed(func(b []byte, v any) error { return gojson.Unmarshal(b, v) })},
	{"vmihailenco/msgpack struct", "msgpack", "github.com/vmihailenco/msgpack/v5", nil, typed(msgpack.Unmarshal)},
	{"fxamacker/cbor struct", "cbor", "github.com/fxamacker/cbor/v2", nil, typed(cbor.Unmarshal)},
}

var all = append(libraries, structs...)

// description is the part of JSON Schema that describes types of Go.
type description struct {
	Type                 string                 `json:"type"`
	Ref                  string                 `json:"$ref"`
	Defs                 map[string]description `json:"$defs"`
	AnyOf                []description          `json:"anyOf"`
	Properties           map[string]description `json:"properties"`
	Required             []string               `json:"required"`
	PropertyNames        stdjson.RawMessage     `json:"propertyNames"`
	AdditionalProperties stdjson.RawMessage     `json:"additionalProperties"`
	PrefixItems          stdjson.RawMessage     `json:"prefixItems"`
	Items                stdjson.RawMessage     `json:"items"`
	Format               string                 `json:"format"`
	ContentEncoding      string                 `json:"contentEncoding"`
}

type types struct {
	defs map[string]description
	open map[string]bool
}

var anything = reflect.TypeFor[any]()

func typed(unmarshal func([]byte, any) error) func(schema) (loader, error) {
	return func(given schema) (loader, error) {
		var root description
		if err := stdjson.Unmarshal([]byte(given.Text), &root); err != nil {
			return nil, err
		}
		made := types{root.Defs, map[string]bool{}}.of(root)
		return func(payload []byte) (any, error) {
			value := reflect.New(made).Interface()
			return value, unmarshal(payload, value)
		}, nil
	}
}

// of returns the type of a value; any if Go has no other, or if the type contains itself.
func (known types) of(node description) reflect.Type {
	switch {
	case node.Ref != "":
		name := strings.TrimPrefix(node.Ref, "#/$defs/")
		if known.open[name] {
			return anything
		}
		known.open[name] = true
		defer delete(known.open, name)
		return known.of(known.defs[name])
	case len(node.AnyOf) == 2 && node.AnyOf[1].Type == "null":
		return optional(known.of(node.AnyOf[0]))
	case len(node.AnyOf) > 0:
		return anything
	}
	switch node.Type {
	case "object":
		return known.object(node)
	case "array":
		var items description
		if node.PrefixItems != nil || stdjson.Unmarshal(node.Items, &items) != nil {
			return anything
		}
		return reflect.SliceOf(known.of(items))
	case "integer":
		return reflect.TypeFor[int64]()
	case "number":
		return reflect.TypeFor[float64]()
	case "boolean":
		return reflect.TypeFor[bool]()
	case "string":
		if node.Format == "" && node.ContentEncoding == "" {
			return reflect.TypeFor[string]()
		}
	}
	return anything
}

func optional(kind reflect.Type) reflect.Type {
	if kind == anything {
		return kind
	}
	return reflect.PointerTo(kind)
}

func (known types) object(node description) reflect.Type {
	if node.Properties == nil {
		var values description
		if node.PropertyNames != nil || stdjson.Unmarshal(node.AdditionalProperties, &values) != nil {
			return anything
		}
		return reflect.MapOf(reflect.TypeFor[string](), known.of(values))
	}
	fields := []reflect.StructField{}
	for _, key := range slices.Sorted(maps.Keys(node.Properties)) {
		kind, tag := known.of(node.Properties[key]), key
		if !slices.Contains(node.Required, key) {
			kind, tag = optional(kind), key+",omitempty"
		}
		name := fmt.Sprintf("Field%d", len(fields))
		text := reflect.StructTag(fmt.Sprintf("json:%q msgpack:%q", tag, tag))
		fields = append(fields, reflect.StructField{Name: name, Type: kind, Tag: text})
	}
	return reflect.StructOf(fields)
}

// structure returns the fields of a struct by their keys, without optional ones that are missing.
func structure(value reflect.Value, level int) ([]any, error) {
	found := pairs{}
	for i := range value.NumField() {
		key, _, optional := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if optional && value.Field(i).IsZero() {
			continue
		}
		if err := found.add(key, value.Field(i).Interface(), level); err != nil {
			return nil, err
		}
	}
	return tagged("map", found), nil
}
