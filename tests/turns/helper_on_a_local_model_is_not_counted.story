set subagents.max_tokens 100
user look into it
model call delegate_task {"goal":"Look into it"}
model call note_read {}
model Buy milk.
model You wanted milk.
done You wanted milk.
helper completed Buy milk.
