/*
 * babeltrace2 reads a live trace of oformat=ctf, and a replay writes the same:
 * stacks, bytes, addresses and names of any characters.
 * @@needs: root prog:known
 */
union either { int number; char text[4]; unsigned char raw[4]; };
struct outer { int _; int event; int _event; union { int inside; char c; }; };
this struct outer outer;
this union either either;

BEGIN
{
	n = 0;
	s = speculation();
	this->outer._ = 1;
	this->outer.event = 2;
	this->outer._event = 3;
	this->outer.inside = 4;
	print(this->outer);
	this->either.number = 0x00636261;
	print(this->either);
	trace("\" }; event { id = 0; };\n%s");
	@["\"\\\n\t\377]", (uint64_t)-1, "/* */ };"] = max(-1);
	@two["a"] = min(5);
	@avg = avg(7);
	printa(@two);
}

pid$target:known:main:entry
{
	ustack(1);
	usym(uregs[R_RIP]);
	@where[ustack(1), usym(uregs[R_RIP])] = count();
}

syscall::getpriority:entry
/pid == $target && n == 0/
{
	speculate(s);
	trace("early");
}

syscall::getpriority:entry
/pid == $target/
{
	n++;
	trace((int)arg1);
	@sizes[probefunc] = quantize(arg1);
}

syscall::getpriority:return
/pid == $target && n == 2/
{
	commit(s);
}
