# One server: the other version waits.
exec 9>/tmp/dtrace-nfs.lock
flock 9
busybox modprobe -a nfsd nfsv3 nfsv4
loopback="python3 $(dirname "$CASE")/../../nfs_loopback.py"
"$DTRACE" -q -s "$CASE" -c "$loopback 3" nfs
"$DTRACE" -q -s "$CASE" -c "$loopback 4" nfs4
