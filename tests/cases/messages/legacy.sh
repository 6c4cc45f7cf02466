try() {
	echo "$1: $2"
	"$DTRACE" $1 -n "$2 { @ = count(); } BEGIN { exit(0); }" 2>&1 >out |
	    grep -v matched
}
try -e 'syscall::open:entry'
try -Z 'syscall::open:entry'
try -Z 'syscall::stat:return { n++; } syscall::fork:'
try -Z 'syscall::open*:entry'
try -Z 'syscall::open:entry,syscall::read:entry'
try -Z 'syscall::read:entry'
try -Z 'syscall::open:entry { n++; } syscall::openat:entry'
try -q 'syscall::open:entry'
exit 0
