# not every kernel has fbt
"$DTRACE" -l -m vmlinux | awk 'NR > 1 && $2 != "fbt" { print $2, $3 }' | sort -u
"$DTRACE" -l -m syscall:vmlinux | awk 'NR > 1 { print $2, $3 }' | sort -u
