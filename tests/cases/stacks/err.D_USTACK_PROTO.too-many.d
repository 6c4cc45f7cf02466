/*
 * ustack() takes the number of frames and the size of strings.
 */
BEGIN
{
	ustack(3, 4, 5);
}
