# Pages of other processes count, too, if the kernel must free some: ten tries.
. "$CASES/../disk.bash"
. "$CASES/../memory.bash"
mount_ext4
dd if=/dev/zero of=swap bs=1M count=1 status=none
swap=$(losetup -f --show swap)
mkswap "$swap" >/dev/null
swapon "$swap"
make_group
# The multi-generation LRU counts in /proc/vmstat the pages that it has taken off
# a list; its trace events have the pages that it has scanned.
trace=
if [ -e /sys/kernel/mm/lru_gen/enabled ] &&
    [ $(($(cat /sys/kernel/mm/lru_gen/enabled))) != 0 ]; then
	mkdir tracing
	mount -t tracefs none tracing
	trace=$PWD/tracing/instances/dtrace.$$
	mkdir "$trace"
	echo 1 >"$trace/events/vmscan/mm_vmscan_lru_isolate/enable"
fi
trap '[ -z "$trace" ] || { rmdir "$trace"; umount tracing; }
    remove_group; swapoff "$swap"; losetup -d "$swap"; umount mnt
    losetup -d "$disk"' EXIT

cat >work <<END
events() { sed -n "s/^\$1 //p" /proc/vmstat; }
all_scanned() {
	sed -n "s/.*-\$\$ .* nr_scanned=\([0-9]*\) .*lru=inactive.*/\1/p" \
	    "$trace/trace" | awk '{ n += \$1 } END { print n + 0 }'
}
read_all() {
	files=\$(events pgsteal_file) anon=\$(events pgsteal_anon)
	if [ -n "$trace" ]; then
		looked=\$(all_scanned)
	else
		looked=\$((\$(events pgscan_file) + \$(events pgscan_anon)))
	fi
}
read_all
files0=\$files anon0=\$anon looked0=\$looked
for i in 1 2 3 4 5 6 7 8 9 10; do
	$reclaim 2>/dev/null
	read_all
	[ \$anon = \$anon0 ] || [ \$files = \$files0 ] || break
	sleep 0.1
done
exec >counted
echo anonfree \$((anon - anon0))
echo dfree \$((anon - anon0 + files - files0))
echo fsfree \$((files - files0))
echo scan \$((looked - looked0))
END

for try in 1 2 3 4 5 6 7 8 9 10; do
	sh -c "echo \$\$ >$group/cgroup.procs
	    dd if=/dev/zero of=mnt/file bs=64k count=8 conv=fsync status=none
	    exec bash -c 'x=\$(printf %200000d 0); kill -STOP \$\$'" &
	extra=$!
	until grep -q 'State:.T' /proc/$extra/status; do sleep 0.1; done
	rm -f fired
	"$DTRACE" -q -o fired -s "$CASE" -c "sh work"
	kill -9 $extra
	wait $extra 2>/dev/null
	sed '/^$/d' fired | sort >sorted
	if [ "$(wc -l <sorted)" = 4 ] && cmp -s sorted counted; then
		echo the same of $(cut -d' ' -f1 sorted)
		exit
	fi
done
cat fired counted
