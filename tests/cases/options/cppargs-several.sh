"$DTRACE" -q -C -x cppargs="-DONE=1  -DTWO=ONE+1" -s "$CASE"
