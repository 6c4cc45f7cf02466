/*
 * tracemem()'s size is a constant.
 */
BEGIN
{
	x = 4;
	tracemem(arg0, x);
}
