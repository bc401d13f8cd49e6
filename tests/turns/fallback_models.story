set models.fallbacks {"primary":["openai/gpt-x"]}
user hello
model fails unreachable
model From the other one.
done From the other one.
