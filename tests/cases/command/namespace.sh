inside() {
	unshare -p -f --mount-proc "$@" 2>&1 | sed '/^$/d; s/+0x.*//; s/^ *//'
}
for substrate in kernel process; do
	echo "-- $substrate"
	inside "$DTRACE" -x substrate=$substrate -q -s "$CASE" \
	    -c "$PROGS/known seq:1"
	inside "$DTRACE" -x substrate=$substrate -qn '
	    pid$target:known:main:entry { printf("%s\n", probefunc);
	    usym(arg1); exit(0); }
	    pid$target:known:main:entry /pid != $target/ { printf("other\n"); }' \
	    -c "$PROGS/known seq:1" | head -1
	inside sh -c '(while :; do sleep 0.02; done) & loop=$!
	    "$0" -x substrate=$1 -qn "syscall:::entry /pid == \$target/ {
	    printf(\"-p: %d\n\", \$target == $loop); exit(0); }" -p $loop
	    kill $loop' "$DTRACE" $substrate
done
# the child's exit wakes it: a timer may interrupt process 1, where some kernels
# run no BPF program
echo "-- a thread that does not run"
inside "$DTRACE" -qn 'sched:::enqueue,sched:::on-cpu /pid == $target/
    { @[probename] = count(); } tick-20s { exit(1); }
    END { printa("%s\n", @); }' -c "sh -c 'sleep 0.1; exit 0'" | sort
echo "-- psinfo_t, lwpsinfo_t"
inside "$DTRACE" -qn 'syscall::getpriority:entry
    /curpsinfo->pr_pid == $target && arg0 == 0x7001/
    { printf("%d %d %d\n", curpsinfo->pr_pid == pid,
    curpsinfo->pr_ppid == 1, curlwpsinfo->pr_lwpid == tid); }' \
    -c "$PROGS/known seq:1"
echo "-- below"
inside "$DTRACE" -qn 'syscall::getpriority:entry
    /progenyof($target) && arg0 == 0x7001/
    { printf("%s\n", pid > 1 && pid < 100 && ppid == $target ? "pid" : "?"); }' \
    -c "unshare -p -f $PROGS/known seq:1"
echo "-- outside"
while :; do sleep 0.02; done &
inside "$DTRACE" -qn 'syscall::clock_nanosleep:entry /execname == "sleep"/
    { printf("%d %d %d\n", pid, tid, progenyof(1)); exit(0); }'
kill $!
wait $! 2>/dev/null
echo "-- from outside, the host's numbers"
"$DTRACE" -qn 'syscall::getpriority:entry
    /progenyof($target) && arg0 == 0x7001/
    { printf("%s\n", pid > $target ? "pid" : "?"); }' \
    -c "unshare -p -f $PROGS/known seq:1" | grep .
echo "-- another /proc"
unshare -p -f "$DTRACE" -qn 'BEGIN { exit(0); }' 2>&1 | cut -c1-50
echo "-- without the kernel's types"
: >none
for uses in 'execname == "true"' 'pid == $target'; do
	unshare -m -p -f --mount-proc sh -c '
	    mount --bind none /sys/kernel/btf/vmlinux &&
	    "$DTRACE" -qn "syscall::exit_group:entry /$0/
	    { printf(\"fires\n\"); exit(0); }" -c true' "$uses" 2>&1 |
	    grep . | cut -c1-75
done
