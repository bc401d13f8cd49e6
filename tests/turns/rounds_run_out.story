set models.max_tool_rounds 1
user read it
model call note_read {}
model Buy milk.
done Buy milk.
prompt has Give your final answer now
