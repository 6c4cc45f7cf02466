#!/usr/sbin/dtrace -s
/*
 * fmt-floating-point.d: floating point numbers of a program, by every
 * conversion, are printf(1)'s.
 *
 * @@load: prog known data
 * @@truth: output
 * @@check: lines[0] == os.popen("printf '%f %.2f %e %g %10.1f| %-10.3f|%+.0f
 *     %.3f' 1234.5 1234.5 1234.5 1234.5 1234.5 1234.5 1234.5 .25").read()
 */

#pragma D option quiet

struct record {
	double d;
	float f;
};

syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	this->r = (struct record *)copyin(arg1, sizeof (struct record));
	printf("%f %.2f %e %g %10.1f| %-10.3f|%+.0f %.3f\n", this->r->d,
	    this->r->d, this->r->d, this->r->d, this->r->d, this->r->d,
	    this->r->d, this->r->f);
}
