/*
 * A thread that had to wait is told to block, to have blocked and to have the
 * mutex, in that order, and then to give it back.
 * @@args: -q
 * @@needs: prog:locks
 * @@run: $PROGS/locks kinds
 */
plockstat$target:::mutex-block { self->at = 1; }
plockstat$target:::mutex-blocked /self->at == 1/ { self->at = 2; }
plockstat$target:::mutex-acquire /self->at == 2/ { self->at = 3; }
plockstat$target:::mutex-release /self->at == 3/ { @ = count(); self->at = 0; }
