/*
 * copyinto brings bytes of the process into memory of the program.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->p = (int *)alloca(24);
	copyinto(arg1, 16, this->p + 1);
	printf("%d %d %d\n", this->p[0], this->p[4], this->p[5]);
	copyinto(arg1 + 32, 8, (char *)this->p);
	printf("%s\n", stringof((char *)this->p));
	exit(0);
}
