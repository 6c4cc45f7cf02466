/*
 * Floating-point values are numbers; arrays of bytes are arrays.
 * @@needs: prog:known
 */
struct record {
	double d;
	float f;
	int32_t i;
	int wide[4];
	char text[8];
	uint8_t bytes[4];
};

syscall::write:entry
/pid == $target && arg2 >= sizeof (struct record)/
{
	print(*(userland struct record *)arg1);
	trace(((userland struct record *)arg1)->bytes);
	exit(0);
}
