# The engine is gone between the reply and what is learned from it.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user I moved to Bengaluru with Arun last week.
model Good luck there.
model hangs
model {"facts": ["Maya moved to Bengaluru with Arun"]}
done Good luck there.
wait 2m
remembers nothing
crash
wait 2m
remembers Maya moved to Bengaluru with Arun
crash
wait 2m
remembers Maya moved to Bengaluru with Arun
