/*
 * memstr makes one string of several, with a character in place of each NUL.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->p = (char *)copyin(arg1 + 32, 16);
	printf("[%s]\n", memstr(this->p, '.', 10));
	printf("[%s]\n", memstr(this->p, '.', 7));
	printf("[%s]\n", memstr(this->p, '.', 1));
	printf("%d\n", memstr(this->p, '.', 0) == NULL);
	exit(0);
}
