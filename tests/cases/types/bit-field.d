/*
 * Bit-fields are extracted, signed and unsigned.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
struct bits {
	unsigned int low : 4;
	int mid : 4;
	unsigned int high : 8;
};

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	/* the bytes 0x41 0x42 of the record, from offset 44 on */
	this->b = (struct bits *)copyin(arg1 + 44, 4);
	printf("%d %d %d\n", this->b->low, this->b->mid, this->b->high);
	this->b = (struct bits *)copyin(arg1 + 48, 4);
	printf("%d %d %d\n", this->b->low, this->b->mid, this->b->high);
}
