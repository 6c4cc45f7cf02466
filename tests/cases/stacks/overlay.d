/*
 * A stack of a program whose files are those of an overlay, as a container's.
 * @@needs: root bpf prog:known fs:overlay
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d", ustackdepth > 2);
	ustack(2);
}
