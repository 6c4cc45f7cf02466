try() {
	status=0
	timeout 20 "$DTRACE" "$@" 2>&1 || status=$?
	echo "status $status"
}

try -n 'inline int z = 1;'
echo '/* nothing */' > empty.d
try -q -x empty -s empty.d
try -q -n 'int x;' -n 'int y;'
try -e -n 'inline int z = 1;'
try -q -n 'inline int z = 1;' -n 'BEGIN { trace(z); exit(0); }'
