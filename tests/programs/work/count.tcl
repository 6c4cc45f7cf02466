# SPDX-License-Identifier: BSD-2-Clause
proc fib {n} { expr {$n < 2 ? $n : [fib [expr {$n-1}]] + [fib [expr {$n-2}]]} }
puts [fib 16]
puts [catch {error deep} why]
puts [lsort -integer {5 3 9 1}]
puts [exec echo from a child]
