# Turn a text into a string constant of C, line by line.
s/[\\"]/\\&/g
s/.*/"&\\n"/
