user write it
model Sure, I will <tool_call>{"name":"note_write","arguments":{"text":"a
done Sure, I will <tool_call>{"name":"note_write","arguments":{"text":"a
ran note_write 0
