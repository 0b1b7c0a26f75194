package main

import (
	"math/rand"
	"syscall"
	"time"
)

const (
	idleMost = 0.01 // of a slice without the processor: it is repeated,
	repeats  = 2    // at most so often
)

// busy returns the nanoseconds that this process has used of the processor.
func busy() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
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
		before := busy()
		spent, count, err := loop(load, payloads, atLeast)
		used := busy() - before
		if err != nil || left == 0 || float64(spent-used) <= idleMost*float64(spent) {
			return float64(max(used, 1)) / float64(max(count, 1)), err
		}
	}
}

// measure reads for one slice before it measures: code that was compiled before needs only warm caches.
func measure(load func([]byte) (any, error), asked head, content []byte) (map[string]any, error) {
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
