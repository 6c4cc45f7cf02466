/*
 * With -x cpu=N tick still fires, and other CPUs' probes are not missed.
 * @@args: -q -x cpu=0
 */
profile-50 { @[cpu] = count(); }

tick-200ms { exit(0); }

END { normalize(@, 1000000); printa("%d %@d\n", @); }
