package main

import (
	"bytes"
	"math/rand"
	"os"
	"strconv"
	"time"
)

const (
	waitedMost = 0.01 // of a slice without the processor: it is repeated,
	repeats    = 2    // at most so often
)

// schedule has the times of the thread that opens it; there is none but on Linux.
var schedule *os.File

// waited returns the nanoseconds in which this thread was ready to run and the processor was busy with others.
func waited() int64 {
	line := make([]byte, 100)
	if schedule == nil {
		return 0
	}
	size, err := schedule.ReadAt(line, 0)
	if fields := bytes.Fields(line[:size]); (err == nil || size > 0) && len(fields) > 1 {
		nanoseconds, _ := strconv.ParseInt(string(fields[1]), 10, 64)
		return nanoseconds
	}
	return 0
}

func loop(load func([]byte) (any, error), payloads [][]byte, atLeast int64) (spent int64, count int, err error) {
	begin := time.Now()
	for count == 0 || spent < atLeast {
		for _, each := range payloads {
			if _, err := load(each); err != nil {
				return 0, 0, err
			}
		}
		count += len(payloads)
		spent = time.Since(begin).Nanoseconds()
	}
	return spent, count, nil
}

func slice(load func([]byte) (any, error), payloads [][]byte, atLeast int64) (float64, error) {
	for left := repeats; ; left-- {
		before := waited()
		spent, count, err := loop(load, payloads, atLeast)
		lost := waited() - before
		if err != nil || left == 0 || float64(lost) <= waitedMost*float64(spent) {
			return float64(max(spent-lost, 1)) / float64(max(count, 1)), err
		}
	}
}

// measure reads for one slice before it measures: code that was compiled before needs only warm caches.
func measure(load func([]byte) (any, error), asked head, content []byte) (map[string]any, error) {
	if schedule == nil {
		schedule, _ = os.Open("/proc/thread-self/schedstat")
	}
	var payloads [][]byte
	for _, size := range asked.Sizes {
		payloads, content = append(payloads, content[:size]), content[size:]
	}
	rand.New(rand.NewSource(asked.Seed)).Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	begin := time.Now()
	if _, _, err := loop(load, payloads, asked.SliceNs); err != nil {
		return nil, err
	}
	warmed, figures := time.Since(begin).Nanoseconds(), []float64{}
	for range asked.Slices {
		figure, err := slice(load, payloads, asked.SliceNs)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure)
	}
	return map[string]any{"kind": "times", "warmup_ns": warmed, "slices": figures}, nil
}
