# Version 1 of control groups can be told to let go of all, version 2 of some.
. "$CASES/../disk.bash"
mount_ext4
if [ -d /sys/fs/cgroup/memory ]; then
	group=/sys/fs/cgroup/memory/dtrace.$$
	undo=true
	reclaim="echo 0 >$group/memory.force_empty"
else
	mkdir groups
	mount -t cgroup2 none groups
	echo +memory >groups/cgroup.subtree_control
	group=groups/dtrace.$$
	undo="umount groups"
	reclaim="echo 256K >$group/memory.reclaim"
fi
mkdir "$group"
trap 'rmdir "$group"; $undo; umount mnt; losetup -d "$disk"' EXIT
sh -c "echo \$\$ >$group/cgroup.procs
    exec dd if=/dev/zero of=mnt/file bs=64k count=8 conv=fsync status=none"
"$DTRACE" -q -s "$CASE" -c "sh -c '$reclaim'"
