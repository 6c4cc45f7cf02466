/*
 * copyoutstr writes a string and its end into the process, at most so many
 * bytes.
 * @@args: -q -w
 * @@needs: prog:known write_user
 * @@run: $PROGS/known buffer
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	copyoutstr("abc", arg1 + 1, 16);
	copyoutstr("defghi", arg1 + 6, 3);
	copyoutstr("", arg1 + 10, 1);
	copyoutstr("xyz", arg1 + 15, 0);
}
