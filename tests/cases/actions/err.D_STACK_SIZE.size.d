/*
 * stack()'s argument is a positive constant.
 */
BEGIN
{
	x = 3;
	stack(x);
}
