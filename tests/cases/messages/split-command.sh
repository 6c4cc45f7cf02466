try() {
	"$DTRACE" "$@" 2>&1 | grep -v '^    [B^]'
}
try -c ls -l /tmp
try -c ls -a /tmp
try -c ls /tmp
try -n 'BEGIN { exit(0); }' -c ls /tmp /
try -c ls -q /tmp -n 'BEGIN { exit(0); }'
# -n takes the next word, and a quoted command has its own
try -c ls -n 'BEGIN { exit(0); }' x
try -c 'ls /' -n 'BEGIN { exit(0); }' x
# what follows the command is a script only if its name ends in .d
echo 'BEGIN { exit(0); }' >script
try -c ls script
