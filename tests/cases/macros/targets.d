/*
 * A test of several processes joins the tests of each: members, keys and casts
 * can be compared, from both sides.
 * @@args: -q -c true -c true -c true
 */
BEGIN
{
	a[1] = 0;
	this->x = 1;
	printf("%d %d\n", a[this->x] == $target, $target != (int)this->x);
	printf("%d %d\n", $target == pid, !($target != pid));
	printf("%d\n", curpsinfo->pr_pid == $target ? 1 : 2);
	exit(0);
}
