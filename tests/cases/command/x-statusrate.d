/*
 * While something is dropped, it is reported as often as statusrate says.
 */
tick-2ms { speculation(); }
tick-2s { exit(0); }
