/*
 * copyin brings bytes of the process here.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->p = (int *)copyin(arg1, 16);
	printf("%d\n", this->p[3]);
	printf("%d\n", *(int32_t *)copyin(arg1 + 12, 4));
	printf("%d\n", *(uint8_t *)copyin(arg1 + 44, 1));
	printf("%c%c\n", *(char *)copyin(arg1 + 44, 1),
	    *((char *)copyin(arg1 + 40, 16) + 5));
}
