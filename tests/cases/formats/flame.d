/*
 * A page of flame graphs, as SVG and as HTML, has each frame with its share;
 * names of the traced system are text in it, whatever characters they have.
 */
BEGIN
{
	trace("this has no place");
	@["</script><script>alert(1)</script>", "a&b\"c'd"] = sum(6);
	@["</script><script>alert(1)</script>", "\001\033[2J;\n"] = sum(2);
	@["\377", "]]></title><!--"] = sum(2);
	@["none", "flat"] = sum(0);
	@sizes["two"] = quantize(1);
	@sizes["two"] = quantize(9);
	@empty = count();
	printa(@empty);
	clear(@empty);
	printa(@empty);
	exit(0);
}
