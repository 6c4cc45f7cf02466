/*
 * What a userland pointer points to is loaded from the process.
 */
BEGIN
{
	trace(*(userland char *)arg0);
	trace(*(userland unsigned char *)arg0);
	trace(*(userland short *)arg0);
	trace(*(userland unsigned short *)arg0);
	trace(*(userland int *)arg0);
	trace(*(userland unsigned int *)arg0);
	trace(*(userland long *)arg0);
}
