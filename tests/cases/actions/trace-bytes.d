/*
 * trace() of bytes that are no text is a hex dump.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
struct b { uint8_t bytes[16]; };

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->b = (struct b *)copyin(arg1 + 40, 16);
	trace(*this->b);
}
