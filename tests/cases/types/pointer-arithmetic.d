/*
 * Pointers step by the size of what they point to.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->p = (uint8_t *)copyin(arg1 + 40, 16);
	printf("%d %d %d\n", *this->p, *(this->p + 4), this->p[5]);
	this->w = (uint16_t *)this->p;
	printf("%x %x\n", *(this->w + 1), this->w[2]);
	printf("%d\n", (this->p + 6) - this->p);
	printf("%d\n", (int)((uintptr_t)(this->w + 3) - (uintptr_t)this->w));
	printf("%d\n", this->p + 1 > this->p);
}
