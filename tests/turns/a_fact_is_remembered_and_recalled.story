# The tools save, know it when it is said again, and find it.
set assistant.user_name "Maya"
user remember that I live in Pune
model call memory_remember {"fact":"Maya lives in Pune"}
result ADD
model Noted.
done Noted.
remembers Maya lives in Pune
holds nothing
user I told you: remember it
model call memory_remember {"fact":"maya lives in pune."}
result SKIP
model I know.
done I know.
remembers Maya lives in Pune
chat
user tell me more
model call memory_recall {"query":"Pune"}
result Maya lives in Pune
model You live in Pune.
done You live in Pune.
source tool Maya lives in Pune
