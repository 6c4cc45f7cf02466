#!/usr/sbin/dtrace -s
/*
 * flow.d: system calls of a command, indented: each goes in and comes out.
 *
 * @@load: toil renames 9
 * @@truth: load
 * @@args: -F
 * @@check: count(r"^\s*\d+\s+=> rename\s*$") == count(r"^\s*\d+\s+<= rename\s*$") == load["done"]
 * @@check: count(r"=> unlink\s") == count(r"<= unlink\s") == load["done"]
 * @@check: count(r"<= exit_group") == 0 and count(r"=> exit_group") == 1
 */

syscall:::entry,
syscall:::return
/pid == $target/
{
}
