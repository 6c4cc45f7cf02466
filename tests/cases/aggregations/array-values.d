/*
 * Strings that are keys stay as they are when a value, or another key, is
 * looked up in an array.
 * @@args: -q
 */
BEGIN
{
	since["a longer key than the aggregation's", 2] = 5;
	@value[strjoin("from ", "value"), 1] =
	    sum(since["a longer key than the aggregation's", 2]);
	@key[strjoin("from ", "key"),
	    since["a longer key than the aggregation's", 2]] = count();
	exit(0);
}

END
{
	printa("%s %d %@d\n", @value);
	printa("%s %d %@d\n", @key);
}
