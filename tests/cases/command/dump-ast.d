/*
 * Stage ast of --dump: the program as it was read.
 * @@args: -q --dump=ast
 */
BEGIN
/pid != 0/
{
	this->x = 3;
	@[this->x] = sum(this->x + 1);
	exit(0);
}
