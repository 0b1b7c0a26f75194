package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"github.com/tinylib/msgp/msgp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const levels = 200 // of a value: more are not accepted

func tagged(tag string, parts ...any) []any { return append([]any{tag}, parts...) }

func other(value any) []any { return tagged("other", fmt.Sprintf("%T", value), fmt.Sprint(value)) }

// moment returns the time of a value.
func moment(value any, t time.Time, layout string) []any {
	if t.Location() == time.Local {
		t = t.UTC()
	}
	if t.Year() < 0 || t.Year() > 9999 {
		return other(value)
	}
	return tagged("time", t.Format("2006-01-02T15:04:05."+layout+"Z07:00"))
}

func octets(content []byte) []any { return tagged("bytes", hex.EncodeToString(content)) }

func binary(v bson.Binary) []any {
	if v.Subtype == bson.TypeBinaryUUID && len(v.Data) == 16 {
		d := v.Data
		return tagged("uuid", fmt.Sprintf("%x-%x-%x-%x-%x", d[:4], d[4:6], d[6:8], d[8:10], d[10:]))
	}
	if v.Subtype == bson.TypeBinaryGeneric {
		return octets(v.Data)
	}
	return tagged("tag", strconv.Itoa(int(v.Subtype)), octets(v.Data))
}

// canonical returns the value with its types; the text of it is JSON.
func canonical(value any, level int) ([]any, error) {
	if level > levels {
		return nil, fmt.Errorf("the value has more than %d levels", levels)
	}
	switch v := value.(type) {
	case nil:
		return tagged("null"), nil
	case bool:
		return tagged("bool", v), nil
	case string:
		if !utf8.ValidString(v) {
			return tagged("raw text", hex.EncodeToString([]byte(v))), nil
		}
		return tagged("text", v), nil
	case protoreflect.Message:
		return fields(v, level+1)
	case protoreflect.List:
		return items(v, level+1)
	case protoreflect.Map:
		return entries(v, level+1)
	case *big.Rat:
		digits, _ := v.FloatPrec()
		return tagged("decimal", v.FloatString(digits)), nil
	case time.Duration:
		return other(v), nil
	case cbor.ByteString:
		return octets([]byte(v)), nil
	case []byte:
		return octets(v), nil
	case big.Int:
		return tagged("int", v.String()), nil
	case time.Time:
		return moment(v, v, "000000000"), nil
	case bson.DateTime:
		return moment(v, v.Time().UTC(), "000"), nil
	case bson.Decimal128:
		return tagged("decimal", v.String()), nil
	case bson.Binary:
		return binary(v), nil
	case cbor.SimpleValue:
		return other(v), nil
	case cbor.Tag:
		content, err := canonical(v.Content, level+1)
		return tagged("tag", strconv.FormatUint(v.Number, 10), content), err
	case *msgp.RawExtension:
		return tagged("tag", strconv.Itoa(int(v.Type)), octets(v.Data)), nil
	case bson.D:
		found := pairs{}
		for _, each := range v {
			if err := found.add(each.Key, each.Value, level+1); err != nil {
				return nil, err
			}
		}
		return tagged("map", found), nil
	}
	return reflected(value, level)
}

type pairs [][]any

func (found *pairs) add(key, value any, level int) error {
	first, err := canonical(key, level)
	if err != nil {
		return err
	}
	second, err := canonical(value, level)
	*found = append(*found, []any{first, second})
	return err
}

func reflected(value any, level int) ([]any, error) {
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return tagged("int", strconv.FormatInt(v.Int(), 10)), nil
	case v.CanUint():
		return tagged("int", strconv.FormatUint(v.Uint(), 10)), nil
	case v.CanFloat():
		return tagged("float", fmt.Sprintf("%016x", math.Float64bits(v.Float()))), nil
	case v.Kind() == reflect.Array && v.Type().Elem().Kind() == reflect.Uint8:
		content := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(content), v)
		return octets(content), nil
	case v.Kind() == reflect.Pointer && v.IsNil():
		return tagged("null"), nil
	case v.Kind() == reflect.Pointer:
		return canonical(v.Elem().Interface(), level)
	case v.Kind() == reflect.Struct && v.Type().Name() == "":
		return structure(v, level+1)
	case v.Kind() == reflect.Slice:
		items := []any{}
		for i := range v.Len() {
			item, err := canonical(v.Index(i).Interface(), level+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return tagged("list", items), nil
	case v.Kind() == reflect.Map:
		found := pairs{}
		for each := v.MapRange(); each.Next(); {
			if err := found.add(each.Key().Interface(), each.Value().Interface(), level+1); err != nil {
				return nil, err
			}
		}
		return tagged("map", found), nil
	}
	return other(value), nil
}
