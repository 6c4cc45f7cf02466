"$DTRACE" -l >all
awk 'NR > 1 { print $2 }' all | grep -xE 'dtrace|profile|rawtp|sdt|syscall' | sort -u
awk 'NR > 1 { print $1 }' all | sort | uniq -d | wc -l
[ "$(grep -c "^ *[0-9]* *syscall " all)" -gt 600 ] && echo many
