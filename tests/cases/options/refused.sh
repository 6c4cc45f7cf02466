while read -r option; do
	"$DTRACE" -e -x $option -n 'BEGIN { }' 2>&1
done <<'EOF'
bpflog
bpflogsize
cleanrate
core
cppargs
debugassert
disasm
dofstashpath
grabanon
iregs
kdefs
knodefs
lazyload
ldpath
linkmode=kernel
linknommap
lockmem
maxframes
modpath
noresolve
objcopypath
pgmax
preallocate
procfspath
setenv
sysslice
tree
tregs
udefs
unodefs
unsetenv
useruid
zone
EOF
true
