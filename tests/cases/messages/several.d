/*
 * Several errors are reported in one run.
 * @@needs: nothing
 */
BEGIN { trace(nosuch1); trace(1 +); x = "a" * 2; }
syscal::read:entry { }
BEGIN { nosuch2(); }
