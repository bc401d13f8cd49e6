user look it up
model call slow_read {}
wait 1s
steer the blue one
model The blue one.
done The blue one.
rows user assistant(1) tool steer assistant
prompt has the blue one
