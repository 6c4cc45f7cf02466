/*
 * Patterns select a library's probes as they do others: the library is read
 * because one of its probes might be meant.  What is written twice runs twice.
 * @@args: -q
 * @@needs: root prog:forks
 * @@run: $PROGS/forks 1
 */
p*c:::exec-*,
:::exec-success,
exec-success
/progenyof($target)/
{
	@[probeprov, probemod, probefunc, probename] = count();
}

END
{
	printa("%s:%s:%s:%s %@d\n", @);
}
