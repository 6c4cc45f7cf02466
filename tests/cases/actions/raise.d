/*
 * raise() sends a signal to the process that fired the probe.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	raise(10);
}
