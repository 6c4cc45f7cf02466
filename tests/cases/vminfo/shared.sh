. "$CASES/../disk.bash"
mount_ext4
cd mnt
# The kernel writes to a thread's rseq area when another has had the CPU, and
# after fork() that page is shared, too.
export GLIBC_TUNABLES=glibc.pthread.rseq=0
# An interrupt within a probe may ask for a page, which dtrace tells.
"$DTRACE" -q -s "$CASE" -c "$PROGS/kernel shared 3" 2>err
cd ..
