hint() {
	"$DTRACE" -e -n "$1" 2>&1 | sed -n 's/^ *hint: //p'
}
for word in comm nsecs kstack retval elapsed cgroup curtask func 'hist(1)' \
    'lhist(1, 2, 3, 4)' 'str(arg0)' 'ksym(arg0)' 'kstack(3)' 'ntop(arg0)' \
    'delete(1)' 'zero(1)' 'buf(arg0, 3)' 'time("x")' 'strftime("x", 1)' \
    'join(arg0)' 'reg("ip")' 'signal("KILL")' 'strerror(2)' \
    'user_string(arg0)' 'kernel_string(arg0)' 'gettimeofday_ns()' 'pp()' \
    'println(1)' 'backtrace()' 'ubacktrace()' 'print_backtrace()' \
    'print_ubacktrace()'; do
	hint "BEGIN { x = $word; }"
done
# no suggestion does harm
hint 'BEGIN { stpo(); rasie(1); chil(1); }'
hint 'BEGIN /execname = "bash"/ { }'
hint 'BEGIN /execname == bash/ { }'
for desc in kprobe:do_exit kretprobe:do_exit tracepoint:sched:sched_switch \
    tracepoint:syscalls:sys_enter_read tracepoint:syscalls:sys_exit_read \
    interval:s:1 profile:hz:99 rawtracepoint:sched_switch software:faults: \
    'no_such_program*:::go'; do
	hint "$desc"
done
# and D's words compile
"$DTRACE" -e -n 'BEGIN {
	x = execname; y = timestamp - 5; stack(); ustack(); z = arg1;
	c = stringof(curthread->cgroups->dfl_cgrp->kn->name); t = curthread;
	f = probefunc; @q = quantize(1); @l = lquantize(1, 0, 10, 2);
	s = copyinstr(arg0); sym(arg0); a = inet_ntoa((ipaddr_t *)arg0);
	a = inet_ntoa6((struct in6_addr *)arg0); a = inet_ntop(2, (void *)arg0);
	m[1] = 0; clear(@q); tracemem(arg0, 16); b = copyin(arg0, 16);
	printf("%Y", walltimestamp); a = curpsinfo->pr_psargs;
	trace(uregs[R_PC] + uregs[R_SP] + errno + ENOENT + EACCES); }' &&
    "$DTRACE" -w -e -n 'BEGIN { raise(9); }' -n 'tick-1s,profile-99hz' && echo compiles
