# For cases that need a disk; sourced by their .sh.  Makes $disk, a disk of 1
# MiB. Loads what the kernel has as modules.
[ -e /dev/loop-control ] || busybox modprobe loop
dd if=/dev/zero of=image bs=1M count=1 status=none
disk=$(losetup -f --show image)
trap 'losetup -d "$disk"' EXIT

load_ext4() {
	grep -qw ext4 /proc/filesystems ||
	    busybox modprobe -a crc32c_generic ext4 2>/dev/null
	# another case may be loading it
	for _ in $(seq 100); do
		grep -qw ext4 /proc/filesystems && break
		sleep 0.1
	done
}

# Mount a file system of the disk on mnt.
mount_ext4() {
	load_ext4
	mkfs.ext4 -q -O ^has_journal "$disk"
	mkdir mnt
	mount -t ext4 "$disk" mnt
	trap 'umount mnt; losetup -d "$disk"' EXIT
}
