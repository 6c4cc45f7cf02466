"$DTRACE" -lvn tcp:::send | sed -n '/Attributes/,/^$/p'
mkdir lib
cat >lib/mine.d <<'END'
provider mine { probe event(int n); };
#pragma D attributes Evolving/External/Group provider mine provider
#pragma D attributes Stable/Stable/Group provider mine name
#pragma D attributes Obsolete/Private/CPU provider mine args
syscall::getppid:entry { fire("mine:::event", 5); }
END
"$DTRACE" -L lib -lvn mine:::event | sed -n '/Attributes/,/^$/p'
