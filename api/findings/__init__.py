"""What can be wrong with a service: whoever meets a state, a start, `/health`, the doctor or a restore, explains it
in the same words.

`finding`  what was found: what it is about, whether somebody has to act, the sentence, and the next command
`states`   the sentences about states that several programs meet: what is wrong, what it means, and what to do
"""
