# "cat" opens the second file while the first one's firing waits for strings
record() {
	"$DTRACE" -q --record=run.dtr -n "$1" -c 'cat /etc/passwd /etc/group' \
	    >/dev/null || exit 1
	"$DTRACE" -r run.dtr -q -s "$CASE" | grep -v -e '^$' -e /lib -e /ld
}
echo '# one'
record 'syscall::openat:entry /pid == $target && copyinstr(arg1) == "/etc/passwd"/ {}'
echo '# another'
record 'syscall::openat:entry /pid == $target &&
	(uid == 12345 || copyinstr(arg1) != "/etc/passwd")/ {}'
echo '# both'
record 'syscall::openat:entry /pid == $target/ {}'
exit 0
