"$DTRACE" -l -f getpriority | awk 'NR > 1 { print $2, $4, $5 }'
"$DTRACE" -l -f syscall:vmlinux:read | awk 'NR > 1 { print $2, $4, $5 }'
