# The answer to each, but for the line of the script and the caret.
n=0
wrong() {
	n=$((n + 1))
	echo "$n. $*"
	timeout 20 "$DTRACE" "$@" 2>&1 </dev/null |
	    sed -n 's/^dtrace: /  /p; s/^    hint: /  hint: /p' | head -4
}
# descriptions
wrong -en 'syscall::read:enter { }'
wrong -en 'syscall:read:entry { }'
wrong -en 'syscalls::read:entry { }'
wrong -en 'syscall::raed:entry { }'
wrong -en 'syscall::sys_read:entry { }'
wrong -en 'syscall::__x64_sys_read:entry { }'
wrong -en 'proc:::exec-succes { }'
wrong -en 'Begin { }'
wrong -en 'read::entry & write::entry { }'
wrong -en 'syscall::read:entry || syscall::write:entry { }'
wrong -en 'syscall::read:entry,{ }'
wrong -en 'profile-1000000hz { }'
wrong -en 'pid$target:libc:malloc:entry { }'
# predicates and statements
wrong -en 'BEGIN /execname = "bash"/ { }'
wrong -en 'BEGIN /execname == bash/ { }'
wrong -en 'BEGIN /execname/ { }'
wrong -en 'BEGIN /pid == 1 { }'
wrong -en 'BEGIN { for (i = 0; i < 3; i++) trace(i); }'
wrong -en 'BEGIN { return; }'
wrong -en 'BEGIN { exit 0; }'
wrong -en 'BEGIN { exit(0) trace(1); }'
wrong -en 'BEGIN { exit(0); }}'
wrong -en 'BEGIN { // comment
}'
wrong -en 'BEGIN { trace("open); }'
wrong -en 'BEGIN { trace(1.5); }'
wrong -en '#include <stdio.h>
BEGIN { }'
# variables
wrong -en 'BEGIN { self.t = timestamp; }'
wrong -en 'BEGIN { this.t = timestamp; }'
wrong -en 'BEGIN { int x; }'
wrong -en 'BEGIN { trace(exename); }'
wrong -en 'BEGIN { trace(self->never); }'
wrong -en 'BEGIN { pid = 3; }'
wrong -en 'BEGIN { x = 1; x = "a"; }'
wrong -en 'BEGIN { trace(arg10); }'
wrong -en 'BEGIN { trace(now - euid - cpuid); }'
wrong -en 'BEGIN { trace(curthread->pidd); }'
wrong -en 'BEGIN { trace(curthread.pid); }'
wrong -en 'BEGIN { trace(curpsinfo->pr_comm); }'
wrong -en 'BEGIN { printf("%s\n", $1); }' word
wrong -en 'BEGIN { trace($1); }'
# functions
wrong -en 'BEGIN { printf("%s\n", arg1); }'
wrong -en 'BEGIN { printf("%d\n", execname); }'
wrong -en 'BEGIN { printf("%d %d\n", pid); }'
wrong -en 'BEGIN { printf("%d\n", pid, tid); }'
wrong -en 'BEGIN { printf(execname); }'
wrong -en 'BEGIN { trace(execname + "x"); }'
wrong -en 'BEGIN { trace(strlen(5)); }'
wrong -en 'BEGIN { trace(getenv("HOME")); sleep(1); }'
wrong -en 'BEGIN { stack; }'
# aggregations
wrong -en 'BEGIN { @ = count(pid); }'
wrong -en 'BEGIN { @ = quantise(1); }'
wrong -en 'BEGIN { @a = count(); @a = sum(1); }'
wrong -en 'BEGIN { x = @a; }'
wrong -en 'BEGIN { @[pid] = count(); @[execname] = count(); }'
wrong -en 'BEGIN { @ = lquantize(1, 10, 0, 1); }'
# the command
wrong -n 'BEGIN { system("date"); }'
wrong -x bufsiz=1m -n BEGIN
wrong -x bufsize=lots -n BEGIN
wrong -l syscall
wrong 'BEGIN { exit(0); }'
# aggregating functions on their own
wrong -en 'BEGIN { count(); }'
wrong -en 'BEGIN { count(pid, execname); }'
wrong -en 'BEGIN { count(pid,
    execname); }'
wrong -en 'BEGIN { sum(pid); }'
# clauses without braces
wrong -en 'BEGIN exit(0);'
wrong -en 'BEGIN x = 1;'
wrong -en 'BEGIN x[1] = 1;'
wrong -en 'BEGIN @ = count();'
wrong -en 'BEGIN self->x = 1;'
wrong -en 'BEGIN if (x) exit(0);'
wrong -en 'BEGIN /x/ exit(0);'
wrong -en 'tick-1s exit(0);'
wrong -en 'exit(0);'
# which are none of these
wrong -en 'BEGIN END { }'
wrong -en 'typedef int BEGIN; BEGIN x; BEGIN y'
# clocks
wrong -en 'tick-1x { }'
wrong -en 'profile-1.5s { }'
wrong -en 'profile-99khz { }'
wrong -en 'profile:::tick-1x { }'
wrong -en 'tick1s { }'
wrong -en 'profile97 { }'
wrong -en 'tick-s { }'
wrong -en 'tick-1[0-9]x { }'
# the value's conversion in printa()
wrong -en 'BEGIN { @[1] = count(); printa("%d %d\n", @); }'
# dashes, capitals and short names
wrong -en 'tick_1s { }'
wrong -en 'profile:::profile_97hz { }'
wrong -en 'Tick-10ms { }'
wrong -en 'proc:::exec_success { }'
wrong -en 'BEGIN { trace(cgrp); }'
wrong -en 'BEGIN { trace(cmd); }'
wrong -en 'BEGIN { trace(pdi); }'
# several names have other words in front
"$DTRACE" -en 'sdt:irq::exit { }' 2>&1 |
    sed -n 's/^ *hint: \(.* irq_handler_entry\).*/  hint: \1, .../p'
# aggregations for variables, and other words of bpftrace
wrong -en 'BEGIN { @start[tid] = nsecs; }'
wrong -en 'BEGIN { @[tid, execname] = 5; }'
wrong -en 'BEGIN { @s = copyinstr(arg0); }'
wrong -en 'BEGIN { @[pid,
    tid] = 1; }'
wrong -en 'BEGIN { @a = trace(1); }'
wrong -en 'BEGIN { @a += count(); }'
wrong -en 'BEGIN { @x[1] += 5; }'
wrong -en 'BEGIN { @x[1]++; }'
wrong -en 'BEGIN { --@; }'
wrong -en 'syscall::read:entry /@start[tid]/ { }'
wrong -en 'BEGIN { $x = 3; }'
wrong -en 'BEGIN { $targt = 3; }'
wrong -en 'pid$x:::entry { }'
wrong -en 'BEGIN { let $x = 1; }'
wrong -en 'BEGIN { let x = 1; }'
wrong -en 'BEGIN { var x; }'
wrong -en 'BEGIN { ustack(perf, 3); }'
wrong -en 'BEGIN { unroll(3) { trace(1); } }'
# SystemTap's clauses
wrong -en 'probe begin { }'
wrong -en 'probe end, error { }'
wrong -en 'probe syscall.open { }'
wrong -en 'probe kernel.function("vfs_read") { }'
wrong -en 'probe timer.s(1) { }'
wrong -en 'probe process("/bin/ls").function("main") { }'
wrong -en 'probe vm.pagefault { }'
wrong -en 'probe x { }'
wrong -en 'kernel.function("vfs_read").return { }'
wrong -en 'process("/bin/ls").function("main") { }'
wrong -en 'begin { }'
wrong -en 'function f() { return 1; }'
# these are none
wrong -en 'beginning { }'
wrong -en 'BEGIN { trace(probename); } probe'
# declarations and loops of others
wrong -en 'BEGIN { let $x; }'
wrong -en 'BEGIN { exit $1; }' 0
wrong -en 'BEGIN { delete x[1]; }'
wrong -en 'BEGIN { foreach (k in x) { } }'
wrong -en 'BEGIN { @x = @y + 1; }'
wrong -en 'global x, y; BEGIN { }'
wrong -en 'global x; BEGIN { }'
wrong -en 'let x; BEGIN { }'
wrong -en 'var x; BEGIN { }'
# a hint keeps the operator, and fits the field and the clock
wrong -en 'BEGIN { @x -= 2; }'
wrong -en 'BEGIN { @x *= 2; }'
wrong -en 'BEGIN { @x = count() + 1; }'
wrong -en ':error:return { }'
wrong -en 'tick1us { }'
wrong -en 'interval:us:1 { }'
wrong -en 'kernel.trace("sched_switch") { }'
wrong -en 'kprobe:vfs_read+4 { }'
wrong -en 'BEGIN { trace(tgid); }'
# dots for arrows, aggregations without a name, loose ends of other tracers
wrong -en 'BEGIN { self.t = timestamp; }'
wrong -en 'BEGIN { trace(this.x); }'
wrong -en 'BEGIN { trace(@); }'
wrong -en 'BEGIN { trace(@_ + 1); }'
wrong -en 'BEGIN { @[1] = count(); @ = count(); }'
wrong -en 'uprobe:/lib/x86_64-linux-gnu/libc.so.6:f { }'
wrong -en 'uprobe:/pid == 1/ { }'
wrong -en 'BEGIN { exit(); }'
wrong -en 'BEGIN { @x <<< 3; }'
wrong -en 'BEGIN { x << < 3; }'
wrong -en 'BEGIN { print(@); }'
wrong -en 'BEGIN { print(@x, 5); }'
wrong -en 'BEGIN { trace(rand); }'
wrong -en 'BEGIN { trace(exit); }'
wrong -en 'BEGIN { trace(errnam); }'
"$DTRACE" -en 'python:::x { }' 2>&1 | sed -n 's/^ *hint: .*; \(a program.*\)/  hint: ...; \1/p'
# options without their words, and numbers that nothing holds
wrong -D -json
wrong -U -n BEGIN
wrong -l syscall::
wrong -en 'h:cycles:99999999999999999999999 { }'
wrong -en 'cpc:::cpu_clock-all-99999999999999999999 { }'
wrong -en 'cpc:::page_faults-all-0 { }'
# of users of gdb and of C
wrong -en 'break main'
wrong -en 'BEGIN { if (pid == 1) printf("x") else printf("y"); }'
# texts side by side, missing commas and semicolons, words of other languages
wrong -en 'BEGIN { trace("a" . "b"); }'
wrong -en 'BEGIN { x = "a" . execname; }'
wrong -en 'BEGIN { x = execname . "b"; }'
wrong -en 'BEGIN { x = execname ", " probefunc; }'
wrong -en 'BEGIN { trace("a" "b"); }'
wrong -en 'BEGIN { printf("x" y); }'
wrong -en 'BEGIN { printf("%d %s\n", pid execname); }'
wrong -en 'BEGIN { @[pid tid] = count(); }'
wrong -en 'BEGIN { @ = count() by pid; }'
wrong -en 'BEGIN { x = 1 y = 2; }'
wrong -en 'BEGIN { trace(1) @ = count(); }'
wrong -en 'BEGIN { trace(1) if (pid) trace(2); }'
wrong -en 'BEGIN { try { trace(1); } catch { trace(2); } }'
wrong -en 'BEGIN { loop { } }'
wrong -en 'BEGIN { throw 1; }'
wrong -en 'BEGIN /pid == 1 and tid == 2/ { }'
wrong -en 'BEGIN { printf("%d", pid or tid); }'
wrong -en 'BEGIN /execname like "x*"/ { }'
wrong -en 'BEGIN { foreach (k by x) { } }'
# variables as functions
wrong -en 'BEGIN { trace(execname()); }'
wrong -en 'BEGIN { trace(args(0)); }'
wrong -en 'BEGIN { x[1] = 1; trace(x(1)); }'
# members and types of other kernels
wrong -en 'BEGIN { trace(curthread->t_procp); }'
wrong -en 'BEGIN { trace(curthread->td_name); }'
wrong -en 'BEGIN { trace(((vnode_t *)arg0)->v_path); }'
# what the shell replaced, or split
wrong -en 'BEGIN /pid == / { }'
wrong -en 'BEGIN { x = pid !=; }'
wrong -en 'BEGIN' '{ trace(1); }'
wrong -en 'BEGIN' '/pid/' '{ trace(1); }'
wrong -en 'BEGIN { trace("$1"); }' word
wrong -en 'BEGIN { trace(1); }' /etc/passwd
# of users of strace and perf
wrong -f -e trace=open ls
wrong -n -c ls
wrong -e trace=openat,read ls
wrong -tt ls
wrong --pid=1
wrong record -g ls
wrong record ls
wrong -c ls
wrong -p 1
# casts, formats, comments and processes
wrong -en 'BEGIN { trace(arg0->x); }'
wrong -en 'BEGIN { trace(execname.length); }'
wrong -en 'BEGIN { printf(%d, pid); }'
wrong -en 'BEGIN { x := 1; }'
wrong -en 'BEGIN { trace(pid) # comment
}'
wrong -en 'BEGIN { x = nil; }'
wrong -en 'pid:1234:libc:malloc:entry { }'
wrong -en 'pidnginx:libc:malloc:entry { }'
# conditions, keys, providers by other names
wrong -en 'syscall::read:entry if (pid == 1) { }'
wrong -en 'syscall::read:entry when (pid == 1) { }'
wrong -en 'syscall::read:entry where pid == 1 { }'
wrong -en 'BEGIN { @(pid) = count(); }'
wrong -en 'BEGIN { @x(pid) = count(); }'
wrong -en 'BEGIN { echo "x"; }'
wrong -en 'no_such_function:entry { }'
wrong -en ':no_such_function:entry { }'
for name in block disk file fs kernel lock memory mutex net network page process \
    signal thread timer; do
	wrong -en $name':::start { }'
done
# arguments
wrong -en 'BEGIN { trace(pid, execname); }'
wrong -en 'BEGIN { trace(); }'
# operators of other languages
wrong -en 'BEGIN /not pid/ { }'
wrong -en 'BEGIN /not (pid == 1)/ { }'
wrong -en 'BEGIN { x = not pid; }'
wrong -en 'BEGIN /pid in (1,2)/ { }'
wrong -en 'BEGIN /execname ~ "x"/ { }'
wrong -en 'BEGIN /execname =~ "ba"/ { }'
wrong -en 'BEGIN /execname !~ "ba"/ { }'
# functions, variables and macros of others
for expr in 'sort(@a)' 'date()' '@ = median(1)' '@ = p50(1)' '@ = p90(1)' \
    '@ = p95(1)' '@ = p99(1)' '@ = topk(1)' '@ = unique(pid)' 'errorf("x")' \
    '@{pid} = count()' '@x{pid} = count()' 'trace(hostname)' \
    'trace(cmdline)' 'trace(user)' 'trace(process)' 'trace(thread)' \
    'trace(time)' 'trace(stdout)' 'trace($$parms)' 'trace($$vars)' \
    'trace($$locals)' 'trace($$return)'; do
	wrong -en "BEGIN { $expr; }"
done
# formats
wrong -en 'BEGIN { printf("%s", ustack()); }'
wrong -en 'BEGIN { printf("%s", curthread); }'
wrong -en 'vfs:::read { printf("%s", args[0]); }'
# types and symbols
wrong -en 'BEGIN { trace(sizeof(struct taskstruct)); }'
# descriptions of other systems
wrong -en 'timer-1s { }'
wrong -en 'interval-10ms { }'
wrong -en 'sdt:::fork { }'
wrong -en 'syscall::lwp_create: { }'
wrong -en 'mib:::tcpOutSegs { }'
wrong -en 'probe vfs.read { }'
for call in exece forksys gtime lwp_create lwp_exit lwp_park open64 \
    open_nocancel pollsys read_nocancel rexit so_socket waitsys \
    write_nocancel; do
	wrong -en "syscall::$call:entry { }"
done
# options in the place of others
wrong -f json -n 'BEGIN { }'
wrong -P 1234567890 -n 'BEGIN { }'
wrong -lm libc
wrong run funccount -c 'ls /' libc.so.6 malloc
wrong --top=5 -n 'BEGIN { @ = count(); }'
wrong --timeline=t.json -c true
wrong --flamediff=a
wrong --follow -n BEGIN
wrong --replay run.dtr
wrong --duration 5 -n BEGIN
wrong --timeout=5 -n BEGIN
wrong --container -n BEGIN
wrong --record -n BEGIN
wrong --container= -n BEGIN
# the hint lists no provider that Linux lacks, but suggests other systems' names
wrong -en 'fsinf:::nosuch { }'
wrong -en 'fpuinf:::x { }' >wrong.out
sed 's/; there are .*/; there are .../' wrong.out
"$DTRACE" -en 'nosuch:::x { }' 2>&1 | grep -ow 'sched\|mib\|fpuinfo\|usdt'
# functions of another kernel
wrong -en 'sysinfo::preempt:inv_swtch { }'
wrong -en 'io:genunix:bdev_strategy:start { }'
wrong -en 'syscall::NtRead:entry { }'
# a clause without its probe, and constants with a fraction
wrong -en '{ trace(1); }'
wrong -en '@ = count();'
wrong -en '/pid == 1/ { }'
wrong -en ';'
wrong -en 'BEGIN { trace(1e9); }'
# what a fleet has
wrong -en 'BEGIN { trace(label); }'
wrong --detach night -n BEGIN
