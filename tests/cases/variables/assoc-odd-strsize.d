/*
 * String keys are equal by what they say, also where strsize is no multiple of
 * eight and the key's last word is not full.
 * @@args: -q -x strsize=13
 */
BEGIN
{
	other[1, "abcdefghijkl"] = 1;
	a["k"] = 7;
	other[1, "zzzzzzzzzzzz"] = 1;
	printf("%d\n", a["k"]);
	exit(0);
}
