"$DTRACE" -s "$CASE" -T 'struct pair'
"$DTRACE" -T tcpsinfo_t | grep tcps_iss
