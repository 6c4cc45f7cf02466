/*
 * curpsinfo tells real from effective users and groups.
 * @@args: -q
 * @@needs: cmd:setpriv
 * @@run: setpriv --ruid=1234 --euid=1235 --rgid=2345 --egid=2346 --clear-groups true
 */
syscall::exit_group:entry
/pid == $target/
{
	printf("%d %d %d %d\n", curpsinfo->pr_uid, curpsinfo->pr_euid,
	    curpsinfo->pr_gid, curpsinfo->pr_egid);
}
