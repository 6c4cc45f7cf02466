/*
 * %f, %e, %g and their capitals print floating point data.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->d = (double *)copyin(arg1, 8);
	this->f = (float *)copyin(arg1 + 8, 4);
	printf("%f %e %g %E %G %.1f\n", *this->d, *this->d, *this->d, *this->d,
	    *this->d, *this->d);
	printf("%f\n", *this->f);
	this->big = (uint64_t *)alloca(8);
	*this->big = 0x4341c37937e08000;	/* 1e16 */
	printf("%g %G\n", *(double *)this->big, *(double *)this->big);
}
