address=$(awk '$3 == "vfs_read" { print $1; exit }' /proc/kallsyms)
"$DTRACE" -q -s "$CASE" "0x$address"
