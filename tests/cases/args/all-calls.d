/*
 * Every argument of every system call has a type that is known.
 */
syscall:::entry, syscall:::return
