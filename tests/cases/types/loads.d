/*
 * Loads of every size, signed and unsigned, from our memory and from user's.
 * @@args: -q
 * @@run: sh -c "printf '\377\376\375\374\373\372\371\370' >/dev/null"
 */
syscall::write:entry
/pid == $target && arg2 == 8/
{
	this->k = (char *)copyin(arg1, 8);
	printf("%d %d %d %d\n", *(signed char *)this->k, *(short *)this->k,
	    *(int *)this->k, *(long *)this->k);
	printf("%u %u %u %x\n", *(unsigned char *)this->k,
	    *(unsigned short *)this->k, *(unsigned int *)this->k,
	    *(unsigned long *)this->k);
	printf("%d %d %d %d\n", *(userland signed char *)arg1,
	    *(userland short *)arg1, *(userland int *)arg1,
	    *(userland long *)arg1);
	printf("%u %u %u %x\n", *(userland unsigned char *)arg1,
	    *(userland unsigned short *)arg1,
	    *(userland unsigned int *)arg1,
	    *(userland unsigned long *)arg1);
	exit(0);
}
