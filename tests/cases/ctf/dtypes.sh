# The file is CTF of version 2, which ctfdump reads.
"$DTRACE" -q -x strsize=64 -x dtypes=types.ctf -s "$CASE"
"$(dirname "$DTRACE")"/ctfdump -t types.ctf
