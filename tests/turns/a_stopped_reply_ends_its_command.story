set terminal {"enabled":true,"allowed_folders":["/home/maya/site"]}
set tools.approvals.mode "off"
user build it
model call terminal_run {"command":"sleep 100"}
progress ran: sleep 100
stop
stopped (stopped)
ran command 1
wait 5m
ran command_ended 0
user again
model Yes.
done Yes.
