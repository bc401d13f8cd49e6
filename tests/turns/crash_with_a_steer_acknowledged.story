user look
model call slow_read {}
wait 1s
steer the blue one
crash
model The blue one.
done The blue one.
prompt has the blue one
