/*
 * Sums below zero are drawn to the left; where there are both, each side has
 * half of the columns.
 * @@args: -q -x agghist
 */
BEGIN
{
	@both["down"] = sum(-30);
	@both["up"] = sum(10);
	@down["one"] = sum(-3);
	@down["two"] = sum(-1);
	exit(0);
}
