user look into it
model call delegate_task {"goal":"Look into it","background":true}
model On it.
# the helper's model is the chat's local one, so it begins when the chat has been quiet for a while
model Nothing there.
result running
done On it.
wait 2m
helper completed Nothing there.
rows user assistant(1) tool assistant assistant
# what it reports is known to the chat from then on
user and?
model As reported.
done As reported.
prompt has **Helper done:** Look into it
