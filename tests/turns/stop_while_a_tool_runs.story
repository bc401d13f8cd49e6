user look
model call slow_read {}
wait 5s
stop
stopped (stopped)
rows user assistant(1) tool assistant
user again
model Yes.
done Yes.
