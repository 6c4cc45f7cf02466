"$DTRACE" -q -s "$CASE" -c "$PROGS/known seq:6" >out
# the names of the innermost frames are the system's
sed 's/^\( *\)[^ ]*`.*/\1FRAME/' out | grep .
