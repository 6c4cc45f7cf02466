// SPDX-License-Identifier: BSD-2-Clause
//
// carry GOROUTINES ROUNDS: sums of eight words each, whose carries stay in the
// processor's flags from one instruction to the next.  Goroutines are preempted
// in between, where the runtime makes them call runtime.asyncPreempt.
package main

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"sync"
)

type wide [8]uint64

//go:noinline
func add(sum *wide, x *wide, rounds int) {
	for i := 0; i < rounds; i++ {
		var c uint64
		sum[0], c = bits.Add64(sum[0], x[0], 0)
		sum[1], c = bits.Add64(sum[1], x[1], c)
		sum[2], c = bits.Add64(sum[2], x[2], c)
		sum[3], c = bits.Add64(sum[3], x[3], c)
		sum[4], c = bits.Add64(sum[4], x[4], c)
		sum[5], c = bits.Add64(sum[5], x[5], c)
		sum[6], c = bits.Add64(sum[6], x[6], c)
		sum[7], _ = bits.Add64(sum[7], x[7], c)
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	var x wide
	for i := range x {
		x[i] = 0xfffffffffffffff0 - uint64(i)
	}
	sums := make([]wide, n)
	var wg sync.WaitGroup
	for i := range sums {
		wg.Add(1)
		go func(sum *wide) {
			defer wg.Done()
			add(sum, &x, rounds)
		}(&sums[i])
	}
	wg.Wait()
	differ := 0
	for i := range sums {
		if sums[i] != sums[0] {
			differ++
		}
	}
	fmt.Println("differ", differ)
}
