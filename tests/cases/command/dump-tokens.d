/*
 * Stage tokens of --dump: line, kind and text of each token.
 * @@args: -e --dump=tokens
 * @@needs: nothing
 */
int declared;

syscall::read:entry,
BEGIN
/declared == 0x10/
{
	@calls[execname] = count();
	trace("text\n");
}
