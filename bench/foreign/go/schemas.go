package main

import (
	"encoding/base64"
	"fmt"
	"reflect"

	"github.com/hamba/avro/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// schema describes payloads of formats that need one.
type schema struct {
	Text    string `json:"text"`
	Message string `json:"message"`
}

type loader = func([]byte) (any, error)

type binding struct{ library, text string }

var bound = map[binding]loader{}

// loader returns the function that reads a payload.
func (each library) loader(given schema) (loader, error) {
	if each.bind == nil {
		return each.load, nil
	}
	key := binding{each.name, given.Text}
	if known, ok := bound[key]; ok {
		return known, nil
	}
	made, err := each.bind(given)
	if err == nil {
		bound[key] = made
	}
	return made, err
}

func avroAPI(given schema) (avro.API, avro.Schema, error) {
	api := avro.Config{}.Freeze()
	parsed, err := avro.ParseWithCache(given.Text, "", &avro.SchemaCache{})
	if err == nil {
		register(api, parsed)
	}
	return api, parsed, err
}

func bindAvro(given schema) (loader, error) {
	api, parsed, err := avroAPI(given)
	if err != nil {
		return nil, err
	}
	return func(payload []byte) (value any, err error) {
		err = api.Unmarshal(parsed, payload, &value)
		return
	}, nil
}

// register says what named types become: in a union, the library reads others as a map with their name.
func register(api avro.API, node avro.Schema) {
	switch v := node.(type) {
	case *avro.RecordSchema:
		api.Register(v.FullName(), map[string]any{})
		for _, field := range v.Fields() {
			register(api, field.Type())
		}
	case *avro.EnumSchema:
		api.Register(v.FullName(), "")
	case *avro.FixedSchema:
		api.Register(v.FullName(), reflect.Zero(reflect.ArrayOf(v.Size(), reflect.TypeFor[byte]())).Interface())
	case *avro.ArraySchema:
		register(api, v.Items())
	case *avro.MapSchema:
		register(api, v.Values())
	case *avro.UnionSchema:
		for _, each := range v.Types() {
			register(api, each)
		}
	}
}

func bindProtobuf(given schema) (loader, error) {
	text, err := base64.StdEncoding.DecodeString(given.Text)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(given.Message))
	if err != nil {
		return nil, err
	}
	message, ok := found.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a message", given.Message)
	}
	return func(payload []byte) (any, error) {
		value := dynamicpb.NewMessage(message)
		return value, proto.Unmarshal(payload, value)
	}, nil
}

// fields returns those that are set, and those that have a default instead.
func fields(message protoreflect.Message, level int) ([]any, error) {
	found, known := pairs{}, message.Descriptor().Fields()
	for i := range known.Len() {
		field := known.Get(i)
		if field.HasPresence() && !message.Has(field) {
			continue
		}
		if err := found.add(string(field.Name()), message.Get(field).Interface(), level); err != nil {
			return nil, err
		}
	}
	return tagged("map", found), nil
}

func items(list protoreflect.List, level int) ([]any, error) {
	found := []any{}
	for i := range list.Len() {
		item, err := canonical(list.Get(i).Interface(), level)
		if err != nil {
			return nil, err
		}
		found = append(found, item)
	}
	return tagged("list", found), nil
}

func entries(values protoreflect.Map, level int) (form []any, err error) {
	found := pairs{}
	values.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		err = found.add(key.Interface(), value.Interface(), level)
		return err == nil
	})
	return tagged("map", found), err
}
