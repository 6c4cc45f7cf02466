#!/usr/sbin/dtrace -s
/*
 * usdt-exceptions.d: exceptions that C++ programs throw and catch, by the
 * library's own probes.
 *
 * @@load: sh echo 'int main() { for (int i = 0; i < 9; i++) try { throw i; }
 *     catch (int) { } }' | g++ -xc++ -o thrower - && ./thrower && sleep 5 &&
 *     ./thrower
 * @@how: system
 * @@args: -Z
 * @@needs: cmd:g++
 * @@err: was not known when a process began to run it
 * @@truth: output
 * @@check: n("thrower", "throw") in (9, 18)    # the first may come too soon
 * @@check: n("thrower", "throw") == n("thrower", "catch")
 */

#pragma D option quiet

BEGIN
{
	printf("tracing\n");
}

libstdcxx*:::throw,
libstdcxx*:::catch
/execname == "thrower"/
{
	@[execname, probename] = count();
}

END
{
	printa("%s %s %@d\n", @);
}
