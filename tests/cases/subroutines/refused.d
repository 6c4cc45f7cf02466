/*
 * Subroutines that Linux cannot support are refused with the reason.
 * @@args: -x errtags
 * @@needs: nothing
 * @@exit: 1
 */
BEGIN { trace(msgsize(0)); }
BEGIN { trace(msgdsize(0)); }
BEGIN { trace(ddi_pathname(0, 0)); }
BEGIN { trace(copyoutmbuf(0, 0)); }
BEGIN { trace(sx_shared_held(0)); }
BEGIN { trace(sx_exclusive_held(0)); }
BEGIN { trace(sx_isexclusive(0)); }
