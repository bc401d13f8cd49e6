user look into it
model call delegate_task {"goal":"Look into it","background":true}
# the chat goes on and the helper works at the same time
model On it.
model On it.
result running
done On it.
wait 20s
helper completed On it.
rows user assistant(1) tool assistant assistant
# what it reports is known to the chat from then on
user and?
model As reported.
done As reported.
prompt has **Helper done:** Look into it
