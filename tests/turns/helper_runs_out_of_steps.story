set subagents.max_rounds 1
user look into it
model call delegate_task {"goal":"Look into it"}
model call note_read {}
model The helper did not finish.
result Stopped after 1 step without finishing.
done The helper did not finish.
helper error Stopped after 1 step without finishing.
