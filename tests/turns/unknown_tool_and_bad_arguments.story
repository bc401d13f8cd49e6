user do something
model call no_such_tool {"a":1}
result no such tool
model call note_write {"text":
result Invalid arguments
model call note_write {"txt":"a"}
result Invalid arguments
ran note_write 0
model I could not.
done I could not.
