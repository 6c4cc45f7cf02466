/*
 * Stage types of --dump: each expression with its type.
 * @@args: -q --dump=types
 */
BEGIN
/pid != 0/
{
	this->x = 3;
	@[this->x] = sum(this->x + 1);
	exit(0);
}
