/*
 * this-> lives for one firing, over all its clauses, and starts at 0.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known seq:3
 */
this int n;
this string s;

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d ", this->n);
	this->n += 5;
	this->s = "set";
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	this->n++;
	printf("%d %s\n", this->n, this->s);
}
