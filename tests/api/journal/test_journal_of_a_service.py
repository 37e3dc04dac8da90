"""The journal of a service that runs: its processes and the program on the machine write one chain."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from api.journal.chain import entries, verify
from tests.support.running_service import initialised, opened, wait_until


def test_a_policy_that_is_exchanged_under_a_running_service_is_noted(tmp_path: Path) -> None:
    """The first one, the next one within moments, and none twice across a restart; the chain is whole at any time."""
    service, policy = initialised(tmp_path / "data", {"keno-1": "keno-express"}), tmp_path / "policy"
    service.variables = {"FOREDRAW_POLICY": str(policy)}
    texts = [f"log {service.key}\nquorum none\n", f"# another\nlog {service.key}\nquorum none\n"]

    def noted() -> list[str]:
        with opened(service.settings) as inside:
            return [row.after or "" for row in entries(inside.database) if row.act == "policy"]

    def exchange(text: str) -> str:
        fresh = policy.with_name("fresh")
        fresh.write_text(text, encoding="ascii")
        fresh.replace(policy)
        return f'{{"sha256":"{sha256(text.encode()).hexdigest()}"}}'

    expected = [exchange(texts[0])]
    try:
        service.start()
        wait_until(lambda: noted() == expected, "the first policy to be noted")
        expected.append(exchange(texts[1]))
        wait_until(lambda: noted() == expected, "the second policy to be noted")
        service.play("keno-1", 1)
        checked = service.foredraw("journal", "--verify")
        assert checked.returncode == 0, checked.stderr
        assert service.stop() == 0
        service.start()
        expected.append(exchange(texts[0]))
        wait_until(lambda: noted() == expected, "the policy to be noted again")
        assert service.stop() == 0
        with opened(service.settings) as inside:
            assert verify(inside.database).number == len(list(entries(inside.database)))
    finally:
        service.clean_up()
