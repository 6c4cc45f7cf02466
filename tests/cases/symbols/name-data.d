/*
 * Addresses of kernel data have the name of their symbol, in keys as well.
 * @@args: -q
 * @@needs: root bpf ksym:init_task
 */
BEGIN
{
	this->task = (uintptr_t)&`init_task;
	sym(this->task + 8);
	printf("\n%a\n", this->task + 8);
	@[sym(this->task)] = count();
	@[sym(this->task + 8)] = count();
	@[sym((uintptr_t)&`linux_banner)] = count();
	exit(0);
}
