"""The background program: sequencer, keeper, salter, monitor and the daily look at installed files, beside the API
processes.

One works per folder and database, held by locks that end with it. One that stands by has all its loops wait until it
leads, and again when it has lost that; meanwhile it writes what the leader says of itself into its own folder, for
the listeners beside it. When a loop dies, the others stop cleanly, the program reports why and exits with status 1,
and its supervisor ends the service.

`run`    the program: its loops, from the start to the end; ``python -m api.programs.background`` runs it
`loop`   one loop, in a thread
`terms`  what is made anew in each term of a leader: the sequencer, the publisher
`heart`  what the program and each loop say of themselves
"""
