# ASan's search for leaks needs ptrace, which strace uses already
export ASAN_OPTIONS=detect_leaks=0
count() {
	strace -f -qq -e trace=openat -o trace "$DTRACE" -q "$@" > /dev/null
	grep -c '/sys/kernel/btf' trace
}
count -s "$CASE"
count -n 'BEGIN { trace(curthread->pid); exit(0); }'
exit 0
