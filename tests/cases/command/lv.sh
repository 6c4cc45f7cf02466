"$DTRACE" -lv -n syscall::read:entry >out
grep -c "Evolving" out
grep -Eci "argument types" out
