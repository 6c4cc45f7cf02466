for e in 'pid in (1,2)' 'execname in ("a", "b c",  "d")' 'x in x' 'x in (f(1))' \
    'uid == 0 && curpsinfo->pr_euid in [5, -1]' 'x[1, 2] in {1, $target}' \
    'pid / 2 in (1)' 'pid in (1,2,3,4,5,6,7)' 'pid in (1, 2'; do
	"$DTRACE" -en "BEGIN /$e/ { }" 2>&1 | grep hint:
done
"$DTRACE" -en 'BEGIN { y = 1; if (pid in (3)) x = 1; }' 2>&1 | grep hint:
