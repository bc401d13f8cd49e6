set models.roles {"executor":"openai/gpt-4o"}
set subagents.max_tokens 100
user look into it
model call delegate_task {"goal":"Look into it"}
model call note_read {}
model The helper used too much.
result Stopped after using 110 tokens without finishing. The limit for one helper is 100 tokens.
done The helper used too much.
helper error Stopped after using 110 tokens
