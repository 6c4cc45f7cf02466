/*
 * A program that was saved as DOF runs without its source: its options, its
 * variables, its formats and its aggregations are in the file.
 */
#pragma D option quiet
#pragma D option aggsortrev

BEGIN
{
	self->n = 5;
	s = "five";
	a[1, "x"] = 7;
	@c[s] = count();
	@c["again"] = count();
	@sum[s] = sum(self->n);
	@q["quantized"] = lquantize(self->n, 0, 10, 2);
	printf("%s %d %d\n", s, self->n, a[1, "x"]);
}

BEGIN
/self->n > 4/
{
	printf("more than 4\n");
	exit(3);
}

END
{
	printa("%10s %@d\n", @c);
	printa(@q);
}
