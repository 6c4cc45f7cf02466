// SPDX-License-Identifier: BSD-2-Clause
package main

import (
	"fmt"
	"sort"
	"sync"
)

func deep(n int) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = n
		}
	}()
	if n > 3 {
		panic("deep")
	}
	return deep(n + 1)
}

func main() {
	var wg sync.WaitGroup
	c := make(chan int, 10)
	for i := 0; i < 20; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			s := 0
			for k := 0; k < 1000; k++ {
				s += k % (i + 1)
			}
			c <- s
		}(i)
	}
	go func() { wg.Wait(); close(c) }()
	var all []int
	for n := range c {
		all = append(all, n)
	}
	sort.Ints(all)
	fmt.Println(all, deep(0))
}
