for probe in syscall::openat:entry dtrace:::ERROR syscall::getpid:entry \
    syscall::read:return; do
	$DTRACE -lvn $probe | sed -n '/Argument Types/,$p'
done
