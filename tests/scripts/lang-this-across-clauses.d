#!/usr/sbin/dtrace -s
/*
 * lang-this-across-clauses.d: A clause-local variable goes from clause to
 * clause of one firing, and is 0 again at the next.
 *
 * @@load: prog known seq:6
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == [f"{i}: 0 {(i + 1) * 10 + 2}" for i
 *     in range(6)]
 */

#pragma D option quiet

this int before, acc;

syscall::getpriority:entry
/pid == $target/
{
	this->before = this->acc;
	this->acc += arg1 + 1;
}

syscall::getpriority:entry
/pid == $target/
{
	this->acc = this->acc * 10;
}

syscall::getpriority:entry
/pid == $target/
{
	this->acc += 2;
	printf("%d: %d %d\n", arg1, this->before, this->acc);
}
