/*
 * A tick's period decides when it fires.
 * The period is measured over ten ticks, because a busy machine delays one.
 * @@args: -q
 */
int ticks;

tick-100ms
/ticks++ == 0/
{
	first = timestamp;
}

tick-100ms
/ticks == 11/
{
	elapsed = timestamp - first;
	printf("%d\n", elapsed >= 500ms && elapsed < 8s);
	exit(0);
}
