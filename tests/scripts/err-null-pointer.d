#!/usr/sbin/dtrace -s
/*
 * err-null-pointer.d: reading through NULL faults with the address 0, in BEGIN
 * too; the script then ends by itself with its own status.
 *
 * @@load: sh :
 * @@how: self
 * @@exit: 7
 * @@err: invalid address \(0x0\)
 * @@truth: output
 * @@check: out.split() == ["BEGIN", "ERROR", "0"]
 */

#pragma D option quiet

BEGIN
{
	printf("%s\n", probename);
}

BEGIN
{
	*(char *)NULL;
}

ERROR
{
	printf("%s %x\n", probename, arg5);
	exit(7);
}
