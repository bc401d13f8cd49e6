user what is in my notes?
model call delegate_task {"goal":"Find out what the notes say","context":"They are about shopping"}
# the helper
model call note_read {}
model The notes say: buy milk.
# and its chat
model You wanted to buy milk.
progress Using note read
result The notes say: buy milk.
done You wanted to buy milk.
helper completed buy milk
rows user assistant(1) tool assistant
prompt has [outside content
prompt has The notes say: buy milk.
prompt lacks Your job
