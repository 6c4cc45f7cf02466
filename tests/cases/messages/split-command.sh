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
# only options follow, or one that dtrace does not have
try -c date -q
try -c ls -aF
try -c date -u -n BEGIN
try -c date -R
try -c date --utc -n BEGIN
try -c ls -s
try -c ls -version -n BEGIN
try -c date -n 'BEGIN { exit(0); }' -u 2>&1 | head -2
# an error of the program, or of -a, is not theirs
try -n 'BEGIN { trace(nosuch); }' -c /bin/true -w
try -A -c ls -q | sed -n '1,2p; $p'
# nor is one of a program that has operands
try -n 'BEGIN { trace($1); trace(nosuch); }' -c ls 5
# -l lists, and may be meant for the command
try -c ls -l | head -3
try -c ls -l -n BEGIN
try -c ls -lv -P dtrace | head -3
# these are right
try -c ls -ln BEGIN
try -l -c ls -n BEGIN
try -c ls -l -n 'BEGIN, pid$target:nosuch::entry' | grep -e own -e quote
# what follows the command is a script only if its name ends in .d
echo 'BEGIN { exit(0); }' >script
try -c ls script
