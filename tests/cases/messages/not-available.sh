while read -r use; do
	"$DTRACE" -e -x nolibs -n "BEGIN { trace($use); }" 2>&1 |
	    sed -n '1s/^[^]]*] //p'
done <<'EOF'
breakpoint(0)
copyoutmbuf(0)
curlwpsinfo
curpsinfo
ddi_pathname(0)
dispatchaddr
func(0)
jailname
jid
mod(0)
msgdsize(0)
msgsize(0)
panic(0)
regs
sx_exclusive_held(0)
sx_isexclusive(0)
sx_shared_held(0)
sym(0)
uaddr(0)
ufunc(0)
umod(0)
usym(0)
EOF
