# A standing order for Sentient waits for review, also from a clean chat.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user From now on always cc Bob on every invoice mail.
model I will keep it in mind.
model {"facts": ["From now on always cc Bob on every invoice mail"]}
done I will keep it in mind.
wait 2m
remembers nothing
holds From now on always cc Bob on every invoice mail
