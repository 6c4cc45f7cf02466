# what a build with ASan looks for at the end needs ptrace, which strace has
export ASAN_OPTIONS=detect_leaks=0
count() {
	strace -f -qq -e trace=openat -o trace "$DTRACE" -q "$@" > /dev/null
	grep -c '/sys/kernel/btf' trace
}
count -s "$CASE"
count -n 'BEGIN { trace(curthread->pid); exit(0); }'
exit 0
