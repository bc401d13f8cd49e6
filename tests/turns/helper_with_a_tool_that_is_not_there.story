user look into it
model call delegate_task {"goal":"Look into it","tools":["crystal_ball"]}
result There is no tool or app called
model I cannot.
done I cannot.
