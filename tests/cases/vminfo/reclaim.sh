. "$CASES/../disk.bash"
. "$CASES/../memory.bash"
mount_ext4
make_group
trap 'remove_group; umount mnt; losetup -d "$disk"' EXIT
sh -c "echo \$\$ >$group/cgroup.procs
    exec dd if=/dev/zero of=mnt/file bs=64k count=8 conv=fsync status=none"
"$DTRACE" -q -s "$CASE" -c "sh -c '$reclaim'"
