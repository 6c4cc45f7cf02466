#!/usr/sbin/dtrace -s
/*
 * lang-fizzbuzz.d: conditions within conditions: what children count.
 *
 * @@load: prog known seq:31
 * @@truth: output
 * @@check: out.split() == ["Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0) or
 *     str(i) for i in range(31)]
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target/
{
	printf("%s\n", arg1 % 15 == 0 ? "FizzBuzz" :
	    arg1 % 5 == 0 ? "Buzz" :
	    arg1 % 3 == 0 ? "Fizz" : lltostr(arg1));
}
