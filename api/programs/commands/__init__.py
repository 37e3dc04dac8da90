"""The commands of ``foredraw``, each in a file: its arguments, and what it prints.

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
`succeed`    writes the log's last record
`folder`     makes, explains, copies and restores the data folder
`command`    what commands share
`opened`     a service for as long as a command runs
"""

from __future__ import annotations

from collections.abc import Mapping

_HERE = "api.programs.commands"
COMMANDS: Mapping[str, str] = {
    "init": f"{_HERE}.folder.init:init",
    "serve": f"{_HERE}.serve:serve",
    "sequence": f"{_HERE}.sequence:sequence",
    "play": f"{_HERE}.play:play_command",
    "succeed": f"{_HERE}.succeed:succeed",
    "table": f"{_HERE}.table:table",
    "halt": f"{_HERE}.table:halt",
    "resume": f"{_HERE}.table:resume",
    "round": f"{_HERE}.round:round_group",
    "par": f"{_HERE}.par:par",
    "token": f"{_HERE}.token:token",
    "key": f"{_HERE}.key.group:key",
    "policy": f"{_HERE}.policy:policy_command",
    "clock": f"{_HERE}.clock:clock",
    "integrity": f"{_HERE}.integrity:integrity",
    "journal": f"{_HERE}.journal:journal_command",
    "beacon": f"{_HERE}.beacon:beacon_command",
    "rebuild": f"{_HERE}.folder.rebuild:rebuild_command",
    "doctor": f"{_HERE}.folder.doctor:doctor",
    "backup": f"{_HERE}.folder.copies:backup",
    "restore": f"{_HERE}.folder.copies:restore",
    "upgrade": f"{_HERE}.folder.upgrade:upgrade_command",
}
"""Where each is."""
GO_ON = frozenset({"serve", "sequence", "play", "beacon"})
"""The commands that go on to work: what they say to people may be lost."""
