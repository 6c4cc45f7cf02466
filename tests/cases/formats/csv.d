/*
 * Each clause and each aggregation is a table; python's csv reads back what was
 * traced, whatever characters it has.
 */
BEGIN
{
	trace("comma, \"quote\"");
	printf("%d of\n%d", 1, 2);
	@["line\r\nend", 7] = count();
	@["=1+1", -7] = count();
	@sizes["k"] = quantize(-3);
	@sizes["k"] = quantize(1000);
	@low["k"] = lquantize(-5, 0, 10, 5);
	@low["k"] = lquantize(50, 0, 10, 5);
	printa(@sizes, @low);
	@bytes["\377;"] = sum(-4);
}

BEGIN
{
	trace(5);
}

BEGIN
{
	printa(@sizes);
	exit(0);
}
