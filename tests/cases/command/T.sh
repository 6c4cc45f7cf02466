"$DTRACE" -s "$CASE" -T outer_t -T 'struct inner' -T 'outer_t *' -T outerp_t -T 'unsigned long'
"$DTRACE" -T sector_t | tail -1
