/*
 * A page of a whole run: what it holds is what was traced, whatever characters
 * that has.  Values printed twice are kept twice; keys that are times are
 * known as such.
 */
BEGIN
{
	trace("</script><script>alert(1)</script><!--");
	trace(pid == 0);
	trace("\377\001\033[2J");
	printf("%d of\n%s\n", 1, "a&b\"c'd");
	@n["</script>", 7] = count();
	@n["none\377", -7] = count();
	printa(@n);
	@n["none\377", -7] = count();
	printa(@n);
	@low["k"] = lquantize(-5, 0, 10, 5);
	@low["k"] = lquantize(3, 0, 10, 5);
	@low["k"] = lquantize(50, 0, 10, 5);
	@heat[timestamp / 100000000, "x"] = quantize(9);
	@wall["x", walltimestamp] = sum(4);
	@no[(uint64_t)12345] = count();
	@pct = percentile(1000, 50);
	@none["x"] = sum(0);
	@st["k<", stack()] = count();
	@empty = avg(1);
	clear(@empty);
	trunc(@empty);
}

BEGIN
{
	trace(*(int *)8);
}

BEGIN
{
	trace(tid);
	exit(0);
}
