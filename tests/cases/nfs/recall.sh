# There is one server: cases of the other version wait.
exec 9>/tmp/dtrace-nfs.lock
flock 9
for module in nfsd nfsv4; do
	busybox modprobe $module
done
"$DTRACE" -q -s "$CASE" -c "python3 $(dirname "$CASE")/../../nfs_loopback.py recall"
