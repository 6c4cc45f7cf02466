"$DTRACE" -e -s "$CASE" 2>&1 | sed -n '1s/^[^]]*] //p; s/^ *hint: //p'
for use in '((struct super_blok *)0)->s_dev' '(sector_tt)0' '(`sector_tt)0' \
    'sizeof (union bpf_atr)' 'sector_tt'; do
	"$DTRACE" -e -n "BEGIN { trace($use); }" 2>&1 |
	    sed -n '1s/^[^]]*] //p; s/^ *hint: //p'
done
