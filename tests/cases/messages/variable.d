/*
 * The variable that was meant is suggested.
 * @@needs: nothing
 */
BEGIN { self->start = 1; trace(self->strat); }
