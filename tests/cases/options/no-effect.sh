while read -r option; do
	"$DTRACE" -e -x $option -n 'BEGIN { }' 2>&1
	"$DTRACE" -v -e -x $option -n 'BEGIN { }' 2>&1 >/dev/null
done <<'EOT'
debugassert=all
dofstashpath=/run
iregs=8
kdefs
knodefs
lazyload=false
ldpath=/usr/bin/ld
linkmode=kernel
linknommap
modpath=/lib/modules
objcopypath=/usr/bin/objcopy
pgmax=8
preallocate=1k
tregs=4
udefs
unodefs
useruid=1000
zone=global
EOT
"$DTRACE" -e -v -s "$CASE" 2>&1 >/dev/null
DTRACE_OPT_STRZISE=8 "$DTRACE" -qe -s "$CASE" 2>&1
DTRACE_OPT_STRZISE=8 "$DTRACE" -ve -n 'BEGIN { }' 2>&1 >/dev/null
