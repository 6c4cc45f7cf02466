/*
 * A translator reads the traced process's memory where its operand points
 * there.
 * @@args: -q
 * @@run: sleep 0.25
 */
struct ts { long sec; long nsec; };
struct rest { long r_ms; };
translator struct rest < struct ts *t > {
	r_ms = t->sec * 1000 + t->nsec / 1000000;
};
syscall::clock_nanosleep:entry
/pid == $target/
{
	this->t = (userland struct ts *)arg2;
	printf("%d\n", xlate <struct rest *> (this->t)->r_ms);
}
