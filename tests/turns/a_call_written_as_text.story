user read my note
model I will look. <tool_call>{"name":"note_read","arguments":{}}</tool_call>
result buy milk
model Buy milk.
done Buy milk.
shown lacks tool_call
ran note_read 1
