# There is one server: cases of the other versions wait.
exec 9>/tmp/dtrace-nfs.lock
flock 9
busybox modprobe nfsd
"$DTRACE" -q -s "$CASE" -c "python3 $(dirname "$CASE")/../../nfs_loopback.py raw4" >out
LC_ALL=C sort out
