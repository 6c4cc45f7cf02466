/*
 * String keys are told apart by their text alone.
 * @@args: -q
 */
BEGIN
{
	m["ab"] = 1;
	m["abc"] = 2;
	this->k = strjoin("a", "b");
	printf("%d\n", m[this->k]);
	printf("%d %d\n", m[strjoin("ab", "c")], m["a"]);
	exit(0);
}
