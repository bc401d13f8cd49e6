set terminal {"enabled":true,"allowed_folders":["/home/maya/site"],"timeout_s":5}
set tools.approvals.mode "off"
user wait for it
model call terminal_run {"command":"sleep 100"}
result took longer than 5 seconds
model It takes too long.
done It takes too long.
