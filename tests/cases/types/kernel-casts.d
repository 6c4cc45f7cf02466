/*
 * A cast to a type that only the kernel knows, before each operator that could
 * also be one of two operands; a variable of that name wins.
 * @@args: -q
 */
BEGIN
{
	this->n = 3;
	this->p = curthread;
	printf("%u %u %u\n", (u64)-1, (u8)+300, (u32)-this->n);
	printf("%d %d\n", (s8)-(this->n + 1), (u64)~0 == -1);
	printf("%d\n", (u64)*curthread->comm == curthread->comm[0]);
	printf("%d\n", ((u64)&this->p->comm) - (u64)this->p ==
	    offsetof(struct task_struct, comm));
	u32 = 10;
	printf("%d\n", (u32) - 4);
	exit(0);
}
