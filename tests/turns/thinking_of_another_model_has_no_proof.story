set models.fallbacks {"primary":["openai/gpt-x"]}
user read my note
model signs Look into the notes.
and call note_read {}
model fails unreachable
model Buy milk.
done Buy milk.
prompt has thinking without proof: Look into the notes.
