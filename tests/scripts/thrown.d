#!/usr/sbin/dtrace -s
/*
 * thrown.d: signals that are thrown away because nobody wants them.
 *
 * @@load: toil ignored 23
 * @@truth: load
 * @@check: n("discard", 12) == load["done"] == 23
 * @@check: n("send", 12) == 23
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::signal-send,
proc:::signal-discard
/execname == "toil"/
{
	@[strtok(probename, "-") != NULL ? strstr(probename, "-") + 1 : "",
	    args[2]] = count();
}
