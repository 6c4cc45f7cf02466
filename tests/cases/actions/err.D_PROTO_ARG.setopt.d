/* An option's value is text, numbers too. */
BEGIN { setopt("aggsortpos", 1); }
