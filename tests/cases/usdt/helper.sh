cp "$CASE" helper.d
"$DTRACE" -G -s helper.d 2>&1
"$DTRACE" -S -s helper.o | grep -e dofp_mod -e dofp_func -e '"@frame"'
