. "$CASES/../disk.bash"
mkswap "$disk" >/dev/null
swapon "$disk"
trap 'swapoff "$disk"; losetup -d "$disk"' EXIT
"$DTRACE" -q -s "$CASE" -c "$PROGS/kernel swapped 7"
