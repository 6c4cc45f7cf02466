/*
 * No stack has more frames than maxframes says, whatever asks for them.
 * @@args: -q -x maxframes=2
 * @@run: $PROGS/burst 1 3000000
 */
profile-997 /arg0 && !n++/ { stack(); stack(7); stack(1); exit(0); }
