while read -r option; do
	"$DTRACE" -e -x $option -n 'BEGIN { }' 2>&1
done <<'EOF'
core
debugassert
disasm
dofstashpath
iregs
kdefs
knodefs
lazyload
ldpath
linkmode=kernel
linknommap
modpath
objcopypath
pgmax
preallocate
procfspath
sysslice
tree
tregs
udefs
unodefs
useruid
zone
EOF
true
