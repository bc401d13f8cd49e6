set terminal {"enabled":true,"allowed_folders":["/home/maya/site"]}
user run the tests
model call terminal_run {"command":"cargo test"}
ask terminal_run
card has Runs a command
card has /home/maya/site
card lacks allow_session
ran command 0
answer allow
progress ran: cargo test
result exit_code":0
ran command 1
model All well.
done All well.
# an answer is for one command only
user and once more
model call terminal_run {"command":"cargo test"}
ask terminal_run
answer deny
result declined
ran command 1
model Not run.
done Not run.
