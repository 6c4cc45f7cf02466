/* An option has one value. */
BEGIN { setopt("quiet", "on", "off"); }
