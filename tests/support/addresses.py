"""Addresses that no honest caller requests."""

from __future__ import annotations

SECOND_SPELLINGS = [
    *("//ops", "//ops/login", "///ops", "/%6fps", "/o%70s", "/%2fops", "/%2Fops/login", "/ops%2flogin"),
    *("//v1/live", "/v1%2flive", "/%761/live", "/v1%2Ftables", "//", "//log/checkpoint", "/%6cog/checkpoint"),
    *("http://x//ops", "http://x/%6fps", "HTTP://localhost/o%70s", "//localhost/ops", "/%", "/%zz/ops"),
]


NOT_THERE = [
    *(
        "../foredraw.db",
        "..%2fforedraw.db",
        "%2e%2e/foredraw.db",
        "tile/../checkpoint",
        "./checkpoint",
        "%2e/checkpoint",
    ),
    *(
        "../keys/log-signing.key",
        "../custodian/seeds.db",
        "..%5Ckeys",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "~/checkpoint",
    ),
    *(
        "checkpoint/",
        "/checkpoint",
        "checkpoint%00",
        "checkpoint%0A",
        "checkpoint%20",
        "Checkpoint",
        "checkpoint.new",
    ),
    *(
        ".checkpoint.1.new",
        "tile",
        "tile/",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/00/000",
    ),
    *(
        "tile/+0/000",
        "tile/-1/000",
        "tile/64/000",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
    ),
    *(
        "tile/0/000.p/256",
        "tile/0/000.p/1000",
        "tile/0/x000",
        "tile/0/x000/000",
        "tile/0/%EF%BC%90%EF%BC%90%EF%BC%90",
    ),
    *("tile/entries/0", "tile/data/000", "tile/0/999", "tile/entries/999", "commitments", "commitments/"),
    *(
        "commitments/00/" + "0" * 63,
        "commitments/00/" + "0" * 64,
        "commitments/AA/" + "A" * 64,
        "find",
        "find/tables",
    ),
    *("commitments/" + "0" * 64, "commitments/01/" + "0" * 64, "find/tables/01/00000000", "custody/00", "policies"),
    *(
        "find/tables/00/0000000",
        "find/tables/00/00000000",
        "find/rounds/00/" + "0" * 64,
        "find/rounds/00/" + "0" * 64 + "/000",
    ),
]
