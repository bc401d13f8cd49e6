set subagents.timeout_minutes 1
user look into it
model call delegate_task {"goal":"Look into it"}
model hangs Hm
model The helper took too long.
result Stopped after 1 minute without finishing.
done The helper took too long.
helper error Stopped after 1 minute
