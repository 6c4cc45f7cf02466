# There is one server: cases of the other version wait.
exec 9>/tmp/dtrace-nfs.lock
flock 9
for module in nfsd nfsv3; do
	busybox modprobe $module
done
"$DTRACE" -q -s "$CASE" -c "python3 $(dirname "$CASE")/../../nfs_loopback.py 3" >out
# How often the client makes these calls is its choice: only that it made some.
often="getattr|lookup|access|fsinfo|pathconf|fsstat|readdirplus|commit|null"
LC_ALL=C sort out | sed -E "s/^((op-)?($often)-(start|done)) .*/\1/"
