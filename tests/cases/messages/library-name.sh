"$DTRACE" -e -s "$CASE" 2>&1 | sed -n '1s/^[^]]*] //p; / hint: /p'
while read -r use; do
	"$DTRACE" -e -n "BEGIN { trace($use); }" 2>&1 |
	    sed -n '1s/^[^]]*] //p; / hint: /p'
done <<'EOF'
TCP_STATE_ESTABLISHD
O_CREATT
sizeof (pktinfo_tt)
(psinfo_tt *)0
xlate <fileinf_t> (getf(0)).fi_name
curpsinf->pr_fname
curpsinfo->pr_fnme
sk_rport
EOF
"$DTRACE" -e -x nolibs -n 'BEGIN { trace(SIGKIL); }' 2>&1 | grep ' hint: '
