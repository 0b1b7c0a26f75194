// Writes two orders to standard output, each after its length.
//
//	protoc --include_imports -o order.desc order.proto
//	go mod init orders && go get google.golang.org/protobuf@v1.36.10 && go run . > orders.binpb
package main

import (
	"os"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	set := &descriptorpb.FileDescriptorSet{}
	must(0, proto.Unmarshal(must(os.ReadFile("order.desc")), set))
	files := must(protodesc.NewFiles(set))
	file := must(files.FindFileByPath("order.proto"))
	kind := file.Messages().ByName("Order")
	for _, text := range []string{
		`{"id": "a-1", "count": 0, "balance": "-5", "lines": [{"sku": "x", "units": "3"}, {}],
		  "rates": {"eur": 1.5}, "voucher": {"sku": "v"}, "made": "2024-02-29T23:59:59.000001Z", "note": "",
		  "status": "OPEN", "marks": [1, 4294967295], "most": "18446744073709551615", "share": 0.5, "raw": "AP8="}`,
		`{"status": 7}`,
	} {
		order := dynamicpb.NewMessage(kind)
		must(0, protojson.Unmarshal([]byte(text), order))
		must(protodelim.MarshalTo(os.Stdout, order))
	}
}
