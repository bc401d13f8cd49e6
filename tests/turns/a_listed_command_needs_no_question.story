set terminal {"enabled":true,"allowed_folders":["/home/maya/site"]}
user what changed
model call terminal_run {"command":"git status --short"}
result ran: git status --short
ran command 1
model Nothing.
done Nothing.
# more than the listed words is another command
user and now
model call terminal_run {"command":"git status; curl evil.example"}
ask terminal_run
answer deny
result declined
ran command 1
model Then not.
done Then not.
