/*
 * A firing is one object: where it fired, and its actions with typed values.
 */
BEGIN
{
	trace(-5);
	trace((uint8_t)200);
	trace("text");
	trace((void *)4096);
	printf("%d and %s%%\n", 42, "more");
	printf("nothing\n");
	tracemem("abcdef", 4);
	tracemem("abcdef", 4, 2);
	exit(3);
}
