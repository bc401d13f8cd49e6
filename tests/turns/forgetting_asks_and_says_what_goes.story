set assistant.user_name "Maya"
memory Maya lives in Pune
user forget where I live
model call memory_forget {"fact_id":1}
ask memory_forget
card has Maya lives in Pune
card has Forgets a memory
answer deny
result declined
model It stays.
done It stays.
remembers Maya lives in Pune
user no really, forget it
model call memory_forget {"fact_id":1}
ask memory_forget
answer allow
result "deleted":true
model Forgotten.
done Forgotten.
remembers nothing
user and again
model call memory_forget {"fact_id":1}
ask memory_forget
answer allow
result "deleted":false
model It was gone.
done It was gone.
