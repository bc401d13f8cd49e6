set assistant.user_name "Maya"
user remember that I live in Pune
model call memory_remember {"fact":"Maya lives in Pune"}
result ADD
model Noted.
done Noted.
remembers Maya lives in Pune
held nothing
# said again: nothing is there twice
user I told you: I live in Pune
model call memory_remember {"fact":"maya lives in pune."}
result SKIP
model I know.
done I know.
remembers Maya lives in Pune
user where do I live?
model call memory_recall {"query":"where Maya lives"}
result Maya lives in Pune
model In Pune.
done In Pune.
in_mind Maya lives in Pune
