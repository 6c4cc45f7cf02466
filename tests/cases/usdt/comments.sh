"$DTRACE" -h -s "$CASE" -o a.h
echo $?
grep VIRT a.h
"$DTRACE" -e -s "$CASE" 2>&1 | grep -c D_PRAGCTL_INVAL
printf '#define x\nprovider p { probe q(); };\n' >b.d
"$DTRACE" -h -s b.d 2>&1 | grep -e tag -e hint -e PRAGCTL
