try() {
	status=0
	"$DTRACE" -q -L lib -n 'BEGIN { trace("ran"); exit(0); }' > out 2>&1 ||
	    status=$?
	sed 's|dtrace: .*lib/|lib/|;s|dtrace: failed to .*: D lib|D lib|' out
	echo "status $status"
}

mkdir lib
echo 'inline int fine = 1;' > lib/a.d
try
echo 'inline int broken = ;' > lib/b.d
try
echo 'inline int unknown = nosuch;' > lib/b.d
try
printf '#pragma D depends_on library %s\n' nosuch.d > lib/b.d
try
printf '#pragma D depends_on library %s\n' b.d > lib/b.d
try
printf '#pragma D depends_on provider %s\n' nosuch > lib/b.d
try
