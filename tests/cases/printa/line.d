/*
 * Without -q printa() is part of the probe's output.
 */
BEGIN { @["a"] = count(); exit(0); }
END { printa("%s=%@d", @); }
