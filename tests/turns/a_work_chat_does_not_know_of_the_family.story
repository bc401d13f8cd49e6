# A personal memory stays out of a work chat's prompt and sources.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user My mother Asha has diabetes and takes insulin.
model I am sorry.
model {"facts": ["Maya's mother Asha has diabetes"]}
done I am sorry.
wait 2m
remembers Maya's mother Asha has diabetes
set memory.extract_after_turn false
chat work
user Does my mother Asha have diabetes?
model I do not know.
prompt lacks Maya's mother
prompt has This chat uses the memories kept for work
done I do not know.
source nothing
chat
user Does my mother Asha have diabetes?
model Yes.
done Yes.
source prompt Maya's mother Asha has diabetes
