/*
 * rand() is an int that is never negative, and all its 31 bits vary.  (That one
 * of them does not in 500 draws has a chance of 2^-495.)
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:500
 */
BEGIN { ones = 0; zeros = 0; }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	r = rand();
	negative += (int64_t)r < 0;
	ones |= r;
	zeros |= ~r;
}

END { printf("%d %x %x\n", negative, ones, zeros & 0x7fffffff); }
