stacks() {
	"$DTRACE" -q -c "$PROGS/known seq:1" -s "$CASE"
}

stacks > alone
: > other
"$DTRACE" -q -x switchrate=10ms -n '
BEGIN { printf("ready\n"); }
syscall::getppid:entry, syscall::getppid:return { @ = count(); }' > other &
until grep -q ready other; do sleep 0.02; done
stacks > both
kill $!
wait $!
cmp alone both && echo the same
grep -E 'bpf_prog_|bpf_trace_|__traceiter_' both
grep -c do_syscall_64 both
