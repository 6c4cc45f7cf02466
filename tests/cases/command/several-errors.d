/*
 * Several errors of one program are reported at once.
 * @@needs: nothing
 */
BEGIN
{
	trace(nosuch);
	trace(1 / 0);
}

END { nosuchfunction(); }
