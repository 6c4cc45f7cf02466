# other users may not be able to read the build directory: use copies
cp "$DTRACE" dtrace
cp "$CASE" case.d
chmod 755 . dtrace
chmod 644 case.d
for substrate in process auto kernel; do
	setpriv --reuid=65534 --regid=65534 --clear-groups \
	    ./dtrace -q -x substrate=$substrate -s case.d 2>&1
	echo "$substrate: $?"
done
for script in 'syscall::read:entry { exit(0); }' 'BEGIN { stack(); }' \
    'BEGIN { trace(curthread->pid); }'; do
	"$DTRACE" -q -x substrate=process -n "$script" 2>&1
done
prlimit --fsize=8192 "$DTRACE" -q -x substrate=process -n 'BEGIN { exit(0); }' 2>&1
# with a process: scripts that need the kernel all the same
for script in 'syscall::getppid:entry { stack(); }' \
    'syscall::getppid:entry { trace(curthread->pid); }' \
    'rawtp:::sched_switch { }'; do
	setpriv --reuid=65534 --regid=65534 --clear-groups \
	    ./dtrace -q -n "$script" -c true 2>&1
done
exit 0
