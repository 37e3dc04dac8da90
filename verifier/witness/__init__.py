"""Our own witness: it cosigns a log's checkpoints for whoever asks, and never two that contradict each other.

>>> from verifier.witness.witness import Witness

`request`   what a log asks (C2SP tlog-witness), and what it is answered
`witness`   the steps before a cosignature
`follower`  the replay of every record
`memory`    what is durable before each answer
`news`      what the terminal shows
`signers`   who holds the secret key: a file, or an ssh-agent
`key_file`  the file of a secret key
`agent`     the protocol of ssh-agent
`server`    HTTP, in which slow clients hold up nobody
`private_memory`  no core dump has the key, and no other process reads it
"""
