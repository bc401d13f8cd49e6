set subagents.max_concurrent 1
user look into both
model call delegate_tasks {"tasks":[{"goal":"First"},{"goal":"Second"}]}
model Report one.
model Report two.
model Both are done.
result Report two.
done Both are done.
