# $1: depth, $2: option, $3: action
try() {
	rm -f out
	echo "chain $1, $2, $3:"
	"$DTRACE" -q -x $2 -o out -n "syscall::getpriority:entry
	    /pid == \$target && arg0 == 0x7001/ { $3; }" \
	    -c "$PROGS/chain $1" 2>&1 | sed 's/all [0-9]* frames/all N frames/'
	grep -o '"limit":"[a-z]*"' out || :
}

try 9 ustackframes=8 'ustack()'
try 9 ustackframes=20 'ustack()'
try 9 ustackframes=20 'ustack(8)'
try 9 ustackframes=8 '@[ustack()] = count()'
try 9 jstackframes=8 'jstack()'
try 9 maxframes=8 'ustack(9)'
try 9 stackframes=1 'stack()'
try 9 'ustackframes=8 -x oformat=json' 'ustack()'
try 9 'ustackframes=8 -x oformat=json' '@[ustack()] = count()'
try 9 'ustackframes=20 -x oformat=json' 'ustack()'
