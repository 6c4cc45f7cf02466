. "$CASES/../disk.bash"
mount_ext4
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=mnt/known bs=4k count=5 \
    oflag=nocache status=none"
umount mnt
mount -t ext4 "$disk" mnt
cat >work <<'END'
import os
fd = os.open("mnt/known", os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)
END
"$DTRACE" -q -s "$CASE" -c "python3 work"
