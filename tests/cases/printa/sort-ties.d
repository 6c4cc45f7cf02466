/*
 * Where values tie, the next aggregation decides, from aggsortpos on and
 * around, and then the key; aggsortrev reverses all of it.
 * @@args: -q
 */
BEGIN
{
	@a["x"] = sum(1); @b["x"] = sum(9); @c["x"] = sum(2);
	@a["y"] = sum(1); @b["y"] = sum(3); @c["y"] = sum(1);
	@a["z"] = sum(1); @b["z"] = sum(5); @c["z"] = sum(1);
	@a["w"] = sum(1); @b["w"] = sum(3); @c["w"] = sum(1);
	printa("%s %@d %@d %@d\n", @a, @b, @c);
	setopt("aggsortpos", "2");
	printa("%s %@d %@d %@d\n", @a, @b, @c);
	setopt("aggsortrev");
	printa("%s %@d %@d %@d\n", @a, @b, @c);
	exit(0);
}
