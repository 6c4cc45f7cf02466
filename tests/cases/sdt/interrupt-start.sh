# A disk, or the host's files, interrupt when they are read and not in memory
cat >work <<'EOF'
while :; do
	dd if="$DTRACE" of=/dev/null bs=1M iflag=nocache
	dd if="$DTRACE" of=/dev/null bs=1M iflag=direct
done 2>/dev/null
EOF
"$DTRACE" -q -s "$CASE" -c "sh work"
