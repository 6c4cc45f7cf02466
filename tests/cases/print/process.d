/*
 * A struct in a process's memory is copied in and printed like any other.
 * @@args: -q
 * @@run: $PROGS/known data
 */
struct record {
	double d;
	float f;
	int32_t i;
	int wide[4];
	char text[8];
	uint8_t bytes[16];
};

syscall::write:entry
/pid == $target && arg2 == sizeof (struct record)/
{
	print(*(userland struct record *)arg1);
	printf("\n");
	print(((userland struct record *)arg1)->f);
	exit(0);
}
