DTRACE="$DTRACE -x substrate=kernel" bash "${CASE%-kernel.d}.sh"
