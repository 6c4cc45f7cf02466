"$DTRACE" -n '
#pragma D option quietresize
#pragma D option switchrate=10hz
BEGIN,
    END
{ exit(0); }' 2>&1 | grep matched
"$DTRACE" -n 'BEGIN /1/ { exit(0); }' 2>&1 | grep matched
