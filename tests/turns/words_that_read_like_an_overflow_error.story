user context_length_exceeded: this model's maximum context length is 8192 tokens
model That is only a message.
done That is only a message.
rows user assistant
