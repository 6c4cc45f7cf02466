/*
 * Option listen: the command asks for the metrics, which have the firings of
 * its child.
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	@calls["one"] = count();
}
