set models.fallbacks {"primary":["openai/gpt-x"]}
user hello
model cut I was about
fails cut off
