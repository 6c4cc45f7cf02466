/*
 * Which variables and subroutines a helper may use: doc/reference/dif.md
 * section 5, rule 9; and which of those we have no code for.
 */
syscall::getppid:entry
/pid == $target/
{
	jstack(1, 64);
}

BEGIN
{
	exit(0);
}
