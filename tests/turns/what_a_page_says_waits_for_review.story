# A chat that read outside content: what the person said themselves is kept, what needs the page waits.
set assistant.user_name "Maya"
set memory.extract_after_turn true
user Read https://acme.example please. I am allergic to peanuts by the way.
model call page_read {"url": "https://acme.example"}
model Acme wants 40 euros.
model {"facts": ["Maya is allergic to peanuts", "Maya owes Acme 40 euros"]}
done Acme wants 40 euros.
wait 2m
remembers Maya is allergic to peanuts
holds Maya owes Acme 40 euros
