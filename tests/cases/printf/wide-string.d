/*
 * %ws prints an array of wide characters.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
struct wide { int c[4]; };

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->w = (struct wide *)copyin(arg1 + 16, 16);
	printf("[%ws]\n", this->w->c);
}
