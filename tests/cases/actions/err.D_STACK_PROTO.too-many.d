/*
 * stack() takes at most the number of frames.
 */
BEGIN
{
	stack(1, 2);
}
