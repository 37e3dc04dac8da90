"""The commands of ``foredraw``, each in a file: its arguments, and what it prints.

`init`       makes a new service
`serve`      runs it, or the demo
`sequence`   publishes the log alone
`play`       plays demo rounds
`table`      adds, lists, changes, pauses and closes tables
`round`      voids a round, or confirms that
`par`        writes a PAR sheet
`token`      creates, lists and revokes tokens
`key`        shows the log's public key, and changes the one of the seeds
`policy`     prints the operator's policy
`integrity`  compares the installed files with a manifest, and signs one
`clock`      shows the machine's clock, or confirms it
`journal`    prints who did what, and checks that nobody changed it
`beacon`     runs a beacon for tests and demos
`folder`     explains, copies and restores the data folder
`command`    what commands share
"""

from __future__ import annotations

from click import Command

from api.programs.commands import (
    beacon,
    clock,
    init,
    integrity,
    journal,
    key,
    par,
    play,
    policy,
    sequence,
    serve,
    table,
    token,
)
from api.programs.commands.folder import copies, doctor, rebuild, upgrade
from api.programs.commands.round import round_group

COMMANDS: tuple[Command, ...] = (
    *(init.init, serve.serve, sequence.sequence, play.play_command),
    *(table.table, table.halt, table.resume, round_group, par.par),
    *(token.token, key.key, policy.policy_command, clock.clock, integrity.integrity),
    *(journal.journal_command, beacon.beacon_command, rebuild.rebuild_command, doctor.doctor),
    *(copies.backup, copies.restore, upgrade.upgrade_command),
)
GO_ON = frozenset({serve.serve.name, sequence.sequence.name, play.play_command.name, beacon.beacon_command.name})
"""The commands that go on to work: what they say to people may be lost."""
