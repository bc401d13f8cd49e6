user tell me
model hangs Once upon
wait 1s
stop
stopped Once upon\n\n(stopped)
rows user assistant
user go on
model And so on.
done And so on.
