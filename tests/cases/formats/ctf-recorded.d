/*
 * babeltrace2 reads a trace of oformat=ctf: values have their types and parts,
 * events their threads, rows their keys.
 */
enum color { RED, BLUE = 7 };
struct pair { char c; unsigned short s; };
struct all {
	int struct_;
	short b : 3;
	char text[8];
	struct pair in[2];
	enum color col;
	unsigned char raw[4];
	struct pair event;
	int grid[2][2];
};
this struct all all;

syscall::openat:entry
/n++ == 0/
{
	trace((char)-3);
	trace((short)7);
	trace(1U);
	trace((uint64_t)-1);
	trace("quote\" \\ \n\303\251");
	trace("\001\377");
	trace("");
	printf("%d of %s\n", 4, "four");
	print((enum color)7);
	this->all.struct_ = -2;
	this->all.b = -1;
	this->all.in[1].s = 9;
	this->all.raw[3] = 255;
	this->all.grid[1][0] = 5;
	print(this->all);
	@calls[execname, (char)-1] = count();
	@sizes = quantize(5);
	@lines["k"] = lquantize(-4, 0, 4, 2);
	@halves = percentile(3, 50);
	@sums = sum(-3);
	s = speculation();
}

syscall::openat:entry
/n == 1/
{
	speculate(s);
	trace("early");
}

syscall::openat:return
/n < 3/
{
	trace("late");
	printa("%@d\n", @sums);
}

syscall::openat:return
/n == 2/
{
	commit(s);
}

syscall::openat:return
/n == 3/
{
	exit(3);
}
