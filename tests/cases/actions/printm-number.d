/*
 * memref() takes an address that is a number, as arguments of probes are.
 * @@args: -q
 */
BEGIN
{
	this->p = (int *)alloca(8);
	*this->p = 0x44434241;
	this->n = (uintptr_t)this->p;
	printm(4, memref(this->n, 4));
	exit(0);
}
