set assistant.user_name "Maya"
memory Maya lives in Pune
user I moved to Bengaluru
model call memory_remember {"fact":"Maya moved to Bengaluru"}
result UPDATE
model Noted.
done Noted.
remembers Maya moved to Bengaluru
