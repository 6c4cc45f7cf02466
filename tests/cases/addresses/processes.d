/*
 * One symbol of two processes is two keys.
 * @@needs: prog:syms
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	@[usym(arg1)] = count();
}
