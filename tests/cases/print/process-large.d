/*
 * A large struct of a process is copied in whole.
 * @@args: -q
 * @@run: dd if=/dev/zero of=/dev/null bs=16384 count=1 status=none
 */
struct large {
	long first;
	char fill[16000];
	long last[3];
};

syscall::write:entry
/pid == $target && arg2 == 16384/
{
	print(*(userland struct large *)arg1);
	exit(0);
}
