/*
 * Members of a struct in the process are read through a copy.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
struct record {
	uint64_t d;
	uint32_t f;
	int32_t i;
	int wide[4];
	char text[8];
	uint8_t bytes[16];
};

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->r = (struct record *)copyin(arg1, sizeof (struct record));
	printf("%d %x\n", this->r->i, this->r->d);
	printf("%s\n", stringof(this->r->text));
	printf("%d %d\n", this->r->bytes[4], this->r->bytes[8]);
	printf("%c\n", this->r->wide[1]);
	printf("%d\n", sizeof (this->r->bytes));
}
