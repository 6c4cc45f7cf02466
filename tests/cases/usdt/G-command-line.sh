"$DTRACE" -G -n 'provider cmdline { probe here(int); };'
echo $? && ls && rm d.out
"$DTRACE" -G -s /dev/stdin <"$CASE"
echo $? && ls && rm d.out
"$DTRACE" -G -s - <"$CASE"
echo $? && ls
