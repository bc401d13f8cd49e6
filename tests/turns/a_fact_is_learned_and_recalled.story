# What is said in one chat is known in the next, with its source.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user My sister Priya lives in Lisbon since May.
model How nice.
model {"facts": ["Maya's sister Priya lives in Lisbon"]}
done How nice.
wait 2m
remembers Maya's sister Priya lives in Lisbon
prompt has My sister Priya lives in Lisbon since May.
chat
user Where does my sister Priya live?
model In Lisbon.
model {"facts": []}
done In Lisbon.
source prompt Maya's sister Priya lives in Lisbon
wait 2m
# The memory is not learned again from being recalled.
user Tell me a joke about memory please.
model A joke.
model {"facts": ["Maya's sister Priya lives in Lisbon"]}
done A joke.
wait 2m
remembers Maya's sister Priya lives in Lisbon
