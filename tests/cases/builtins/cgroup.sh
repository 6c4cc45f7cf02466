# The hierarchy is mounted in a namespace that ends with this script.
cat >join.sh <<'END'
echo $$ >"$1/cgroup.procs"
exec "$PROGS/known" seq:1
END
cat >groups.sh <<'END'
mkdir hierarchy && mount -t cgroup2 none hierarchy || exit
top=hierarchy/dtrace-case.$$
for below in a/b a/b/c/d/e/f/g a/b/c/d/e/f/g/h; do
	mkdir -p $top/$below
done
trap 'find $top -depth -type d -exec rmdir {} \;' EXIT
for path in "" /a/b /a/b/c/d/e/f/g /a/b/c/d/e/f/g/h; do
	folder=hierarchy
	test -z "$path" || folder=$top$path
	"$DTRACE" -q -n 'syscall::getpriority:entry
	    /pid == $target && arg0 == 0x7001/
	    { printf("%d %s\n", cgroup, cgroupname); }' \
	    -c "sh join.sh $folder" >out
	number=$(stat -c %i $folder)
	sed "s/^$number /number /; s/dtrace-case.$$/top/" out | grep .
done
END
unshare -m sh groups.sh
