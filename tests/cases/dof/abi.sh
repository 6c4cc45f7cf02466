"$PROGS/mkdof" illumos lsb lp64 1 >illumos.dof
"$PROGS/mkdof" libact lsb lp64 2 >unknown.dof
"$DTRACE" -q -s illumos.dof
"$DTRACE" -q -s unknown.dof
"$DTRACE" -q -x dofabi=illumos -s unknown.dof
"$DTRACE" -q -x dofabi=freebsd -s illumos.dof
"$DTRACE" -q -x dofabi=solaris -s illumos.dof
true
