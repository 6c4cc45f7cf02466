/*
 * ustack() and jstack() show as many frames as they are asked for, or as the
 * options say, or as there are.
 * @@needs: prog:chain_fp
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("a"); ustack();
	printf("b"); ustack(3);
	printf("c"); jstack();
	printf("d"); jstack(4, 100);
	printf("e"); ustack(200, 64);
	printf("f%k", ustack(2));
}
