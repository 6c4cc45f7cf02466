/*
 * machtimestamp is the time-stamp counter at the time of the firing: between
 * what the program read before and reads afterwards, to some microseconds, also
 * after more than a second.
 * @@args: -q
 * @@needs: prog:known cpu:nonstop_tsc
 * @@run: $PROGS/known tsc:100 sleep:1300 tsc:100
 */
BEGIN { slack = 20000; last = 0UL; }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	early += machtimestamp + slack < arg1;
	late += arg1 + slack < last;
	moved += machtimestamp != last;
	last = machtimestamp;
}

END { printf("%d %d %d\n", early, late, moved); }
