set models.request_timeout_s 20
user hello
model hangs
wait 21s
fails did not answer for 20 seconds
rows user
user hello again
model Hi.
done Hi.
