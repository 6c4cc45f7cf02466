. "$CASES/../disk.bash"
. "$CASES/../tries.bash"
mount_ext4
cd mnt
until_expected "$DTRACE" -q -s "$CASE" -c "$PROGS/kernel listed 100"
cd ..
