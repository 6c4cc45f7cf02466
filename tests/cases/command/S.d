/*
 * -S prints the DIF of every statement.
 * @@needs: nothing
 */
BEGIN
/pid == 1/
{
	trace(pid);
}
