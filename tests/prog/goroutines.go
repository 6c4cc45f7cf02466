// SPDX-License-Identifier: BSD-2-Clause
//
// goroutines N CALLS: N goroutines make CALLS calls of leaf() and one of deep(),
// which needs more stack than a goroutine begins with, and recover from a panic.
// goroutines threads ROUNDS N: N goroutines call leaf(), each in a thread of its
// own, which ends with it once all of its round have called.
// goroutines: threads are busy until the process is ended.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

//go:noinline
func leaf(n int) int {
	return 3*n + 1
}

//go:noinline
func deep(n int) int {
	var pad [64]int
	if n == 0 {
		return leaf(0)
	}
	pad[n%64] = n
	return deep(n-1) + pad[n%64] - n + 1
}

//go:noinline
func fails(p *int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	*p = 1
	return nil
}

// A loop without calls: it is preempted by a signal, anywhere.
func busy(x []int) {
	for {
		for i := range x {
			x[i] = x[i]*3 + i
		}
	}
}

func spin(x *int) {
	for i := 0; ; i++ {
		*x = leaf(i)
	}
}

func spinAll() {
	for i := 0; i < 4; i++ {
		go busy(make([]int, 1000))
		go spin(new(int))
	}
	fmt.Println("running")
	select {}
}

func work(calls int, sum *int, m *sync.Mutex) {
	s := 0
	for i := 0; i < calls; i++ {
		s += leaf(i) % 7
	}
	s += deep(500)
	if fails(nil) == nil {
		s = -1
	}
	m.Lock()
	*sum += s
	m.Unlock()
}

func callOnce(sum *int, m *sync.Mutex, called, ended *sync.WaitGroup) {
	runtime.LockOSThread() // and not unlocked: the thread ends
	n := leaf(1)
	syscall.Getppid() // by code that makes any call; no probe fires
	m.Lock()
	*sum += n
	m.Unlock()
	called.Done()
	called.Wait()
	ended.Done()
}

func threads(rounds int, n int) {
	var m sync.Mutex
	sum := 0
	for i := 0; i < rounds; i++ {
		var called, ended sync.WaitGroup
		called.Add(n)
		ended.Add(n)
		for j := 0; j < n; j++ {
			go callOnce(&sum, &m, &called, &ended)
		}
		ended.Wait()
	}
	fmt.Println("sum", sum)
}

func main() {
	if len(os.Args) < 3 {
		spinAll()
	}
	if len(os.Args) == 4 {
		rounds, _ := strconv.Atoi(os.Args[2])
		n, _ := strconv.Atoi(os.Args[3])
		threads(rounds, n)
		return
	}
	n, _ := strconv.Atoi(os.Args[1])
	calls, _ := strconv.Atoi(os.Args[2])
	var wg sync.WaitGroup
	var m sync.Mutex
	sum := 0
	for i := 0; i < n; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(calls, &sum, &m)
		}()
	}
	wg.Wait()
	fmt.Println("sum", sum)
}
