// Command worker reads payloads with libraries of Go; docs/reference/worker.md has its messages.
package main

import (
	"bufio"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	gojson "github.com/goccy/go-json"
	"github.com/tinylib/msgp/msgp"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type library struct {
	name, format, module string
	load                 func([]byte) (any, error)
}

// into adapts the usual Unmarshal function to a value of any type.
func into(unmarshal func([]byte, any) error) func([]byte) (any, error) {
	return func(payload []byte) (value any, err error) {
		err = unmarshal(payload, &value)
		return
	}
}

var libraries = []library{
	{"encoding/json", "json", "", into(stdjson.Unmarshal)},
	{"goccy/go-json", "json", "github.com/goccy/go-json", into(func(b []byte, v any) error { return gojson.Unmarshal(b, v) })},
	{"vmihailenco/msgpack", "msgpack", "github.com/vmihailenco/msgpack/v5", into(msgpack.Unmarshal)},
	{"tinylib/msgp", "msgpack", "github.com/tinylib/msgp", func(payload []byte) (any, error) {
		value, rest, err := msgp.ReadIntfBytes(payload)
		if err == nil && len(rest) > 0 {
			err = errors.New("data after the value")
		}
		return value, err
	}},
	{"fxamacker/cbor", "cbor", "github.com/fxamacker/cbor/v2", into(cbor.Unmarshal)},
	{"mongo-driver/bson", "bson", "go.mongodb.org/mongo-driver/v2", func(payload []byte) (any, error) {
		var value bson.D
		err := bson.Unmarshal(payload, &value)
		return value, err
	}},
}

func tagged(tag string, parts ...any) []any { return append([]any{tag}, parts...) }

func moment(t time.Time, layout string) []any {
	if t.Location() == time.Local {
		t = t.UTC()
	}
	return tagged("time", t.Format("2006-01-02T15:04:05."+layout+"Z07:00"))
}

func canonical(value any) []any {
	switch v := value.(type) {
	case nil:
		return tagged("null")
	case bool:
		return tagged("bool", v)
	case string:
		if !utf8.ValidString(v) {
			return tagged("raw text", hex.EncodeToString([]byte(v)))
		}
		return tagged("text", v)
	case cbor.ByteString:
		return tagged("bytes", hex.EncodeToString([]byte(v)))
	case []byte:
		return tagged("bytes", hex.EncodeToString(v))
	case big.Int:
		return tagged("int", v.String())
	case time.Time:
		return moment(v, "000000000")
	case bson.DateTime:
		return moment(v.Time().UTC(), "000")
	case bson.Decimal128:
		return tagged("decimal", v.String())
	case bson.Binary:
		if v.Subtype == 4 && len(v.Data) == 16 {
			d := v.Data
			return tagged("uuid", fmt.Sprintf("%x-%x-%x-%x-%x", d[:4], d[4:6], d[6:8], d[8:10], d[10:]))
		}
		if v.Subtype == 0 {
			return tagged("bytes", hex.EncodeToString(v.Data))
		}
		return tagged("tag", strconv.Itoa(int(v.Subtype)), tagged("bytes", hex.EncodeToString(v.Data)))
	case cbor.Tag:
		return tagged("tag", strconv.FormatUint(v.Number, 10), canonical(v.Content))
	case *msgp.RawExtension:
		return tagged("tag", strconv.Itoa(int(v.Type)), tagged("bytes", hex.EncodeToString(v.Data)))
	case bson.D:
		pairs := [][]any{}
		for _, each := range v {
			pairs = append(pairs, []any{canonical(each.Key), canonical(each.Value)})
		}
		return tagged("map", pairs)
	}
	return reflected(reflect.ValueOf(value))
}

func reflected(v reflect.Value) []any {
	switch {
	case v.CanInt():
		return tagged("int", strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		return tagged("int", strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		return tagged("float", fmt.Sprintf("%016x", math.Float64bits(v.Float())))
	case v.Kind() == reflect.Slice:
		items := []any{}
		for i := range v.Len() {
			items = append(items, canonical(v.Index(i).Interface()))
		}
		return tagged("list", items)
	case v.Kind() == reflect.Map:
		pairs := [][]any{}
		for each := v.MapRange(); each.Next(); {
			pairs = append(pairs, []any{canonical(each.Key().Interface()), canonical(each.Value().Interface())})
		}
		return tagged("map", pairs)
	}
	return tagged("other", v.Type().String(), fmt.Sprint(v))
}

type head struct {
	Kind    string `json:"kind"`
	Library string `json:"library"`
	Sizes   []int  `json:"sizes"`
	Slices  int    `json:"slices"`
	SliceNs int64  `json:"slice_ns"`
	Seed    int64  `json:"seed"`
}

func hello() map[string]any {
	versions := map[string]string{"": runtime.Version()[2:]}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, each := range info.Deps {
			versions[each.Path] = each.Version
		}
	}
	known := []any{}
	for _, each := range libraries {
		known = append(known, map[string]any{"name": each.name, "format": each.format, "version": versions[each.module]})
	}
	return map[string]any{"kind": "hello", "protocol": 1, "language": "Go", "version": versions[""], "libraries": known}
}

func slice(load func([]byte) (any, error), payloads [][]byte, atLeast int64) (float64, error) {
	begin, count := time.Now(), 0
	for count == 0 || time.Since(begin).Nanoseconds() < atLeast {
		for _, each := range payloads {
			if _, err := load(each); err != nil {
				return 0, err
			}
		}
		count += len(payloads)
	}
	return float64(time.Since(begin).Nanoseconds()) / float64(count), nil
}

// measure warms up until two slices in a row differ by at most 2 %, or 50 have passed.
func measure(load func([]byte) (any, error), asked head, content []byte) (map[string]any, error) {
	var payloads [][]byte
	for _, size := range asked.Sizes {
		payloads, content = append(payloads, content[:size]), content[size:]
	}
	rand.New(rand.NewSource(asked.Seed)).Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	begin, before, now, err := time.Now(), 0.0, math.Inf(1), error(nil)
	for range 50 {
		if before, now = now, 0; err == nil {
			now, err = slice(load, payloads, asked.SliceNs)
		}
		if err != nil || math.Abs(now-before) <= 0.02*now {
			break
		}
	}
	warmed, figures := time.Since(begin).Nanoseconds(), []float64{}
	for range asked.Slices {
		figure, failed := slice(load, payloads, asked.SliceNs)
		figures, err = append(figures, figure), errors.Join(err, failed)
	}
	return map[string]any{"kind": "times", "warmup_ns": warmed, "slices": figures}, err
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
	for _, each := range libraries {
		if each.name != asked.Library {
			continue
		}
		if asked.Kind == "time" {
			reply, err = measure(each.load, asked, content)
			return reply, nil, err
		}
		value, err := each.load(content)
		if err != nil {
			return nil, nil, err
		}
		text, err = stdjson.Marshal(canonical(value))
		return map[string]any{"kind": "value"}, text, err
	}
	return nil, nil, fmt.Errorf("unknown library %q", asked.Library)
}

func main() {
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
			reply, content = map[string]any{"kind": "error", "message": err.Error()}, nil
		}
		text, _ := stdjson.Marshal(reply)
		fmt.Printf("%08x %08x\n%s%s\n", len(text), len(content), text, content)
	}
}
