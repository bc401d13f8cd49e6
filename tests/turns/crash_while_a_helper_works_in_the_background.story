user look into it
model call delegate_task {"goal":"Look into it","background":true}
model hangs On it
wait 5s
crash
model On it.
done On it.
wait 2m
helper error restarted while this helper was working
rows user assistant(1) tool assistant assistant
