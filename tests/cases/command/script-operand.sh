printf '#pragma D option quiet\nBEGIN { trace($1); trace($$2); exit($1); }\n' >script.d
"$DTRACE" -e script.d 1 two && echo compiles
"$DTRACE" -e script.d 1 two three 2>&1 | head -1
# after a command, too
cp script.d other
"$DTRACE" -e -c /bin/true script.d 1 two && echo compiles
# not if there is another program, and not with -l
"$DTRACE" -e -n 'BEGIN' script.d 2>&1 | head -1
"$DTRACE" -l script.d 2>&1 | head -1
