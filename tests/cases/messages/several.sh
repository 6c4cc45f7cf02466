"$DTRACE" -e -s "$CASE" 2>&1 | grep -o "D_[A-Z_]*"
sed "s/trace(1 +);//" "$CASE" > fixed.d
"$DTRACE" -e -s fixed.d 2>&1 | grep -o "D_[A-Z_]*"
