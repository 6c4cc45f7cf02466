/*
 * -t ends tracing after a time, as a signal does, and needs a time.
 */
dtrace:::BEGIN
{
	self->began = timestamp;
	began = timestamp;
}

END
{
	printf("%d\n", timestamp - began >= 200000000 &&
	    timestamp - began < 100 * 1000000000);
}
