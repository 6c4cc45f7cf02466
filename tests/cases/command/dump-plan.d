/*
 * Stage plan of --dump: the layout of records and keys.
 * @@args: -q --dump=plan
 */
BEGIN
/pid != 0/
{
	this->x = 3;
	@[this->x] = sum(this->x + 1);
	exit(0);
}
