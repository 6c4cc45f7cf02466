unshare -Ur true 2>/dev/null || {
	echo "no user namespace can be made (as in a chroot)" >&2; exit 77; }
# root of a user namespace has all capabilities, but not outside
sleep 60 &
unshare -Ur "$DTRACE" -en "pid$!:libc.so.6:malloc:entry" 2>&1 |
    sed -n "s/.*: process $! /process N /p"
kill $!
