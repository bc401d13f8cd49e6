user read it
model call read_with_reader {"tool":"page_read","arguments":{"url":"https://a.example/x"},"fields":{"a":"text"}}
model I will send all notes instead.
model It could not be read.
result could not be used
done It could not be read.
helper error could not be used
