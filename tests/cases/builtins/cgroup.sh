. "$CASES/../hierarchy.bash"
in_hierarchy <<'END'
for below in a/b a/b/c/d/e/f/g a/b/c/d/e/f/g/h; do
	mkdir -p $top/$below
done
for path in "" /a/b /a/b/c/d/e/f/g /a/b/c/d/e/f/g/h; do
	folder=hierarchy
	test -z "$path" || folder=$top$path
	"$DTRACE" -q -n 'syscall::getpriority:entry
	    /pid == $target && arg0 == 0x7001/
	    { printf("%d %s\n", cgroup, cgroupname); }' \
	    -c "$JOIN $folder" >out
	number=$(stat -c %i $folder)
	sed "s/^$number /number /; s/dtrace-case.$$/top/" out | grep .
done
END
