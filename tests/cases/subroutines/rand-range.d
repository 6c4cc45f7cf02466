/*
 * rand() is an unsigned number, all of whose 64 bits vary.  (That one of them
 * does not in 500 draws has a chance of 2^-493.)
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:500
 */
uint64_t ones, zeros;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	r = rand();
	ones |= r;
	zeros |= ~r;
	outside += r % 6 > 5;
}

END { printf("%x %x %d\n", ones, zeros, outside); }
