/*
 * While something is dropped, it is told as often as statusrate says.
 */
tick-2ms { speculation(); }
tick-2s { exit(0); }
