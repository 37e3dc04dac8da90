"""The service: what plays rounds, keeps seeds, and publishes the log.

A call of an engine goes `engine_api` → `rounds` → `ledger` (one transaction, with replay's step
inside) → the queue. From there the `sequencer` appends and publishes it, and `publication` tells
everybody who waits. The files, by what they are for:

==================================  ==========================================================
HTTP                                `app`, with one application for engines (`engine_api`) and one
                                    for the public (`public_api`, `bets_api`, `log_files`,
                                    `elsewhere`); `reads_api` is in both; `answers`, `problems`,
                                    `openapi`, `request_body`, `health`
strangers                           `addresses`, `proxies`, `malformed_requests` (with
                                    `shared_count`), `connection`, `priority`, `crowds`
pages for people                    `pages`, with what they look at: `overview`, `pace`
rounds and tables                   `rounds`, `tables`, `ledger`, `public_rounds`, `round_proofs`
bets                                `paytables`, `settling`, `par`
the log                             `sequencer`, `recovery`, `publication`, `aids_writer`,
                                    `whole_files`, `commitments_files`
secrets                             `custodian`, `seed_store`, `kept_chain`, `keys`, `tokens`, `sessions`,
                                    `known_answers`, `private_memory`
the database                        `database`, `models`, `statements`, `prepared`;
                                    `rebuild`, from `known_log` and `salvage` to `projection`
programs                            `cli`, `serve`, `background` (with the `keeper`), `dealer`
all contact with the world          `world`, which also says what touches it directly; `timekeeper`,
                                    `storage` (its failures in words), `signs` (of life)
==================================  ==========================================================
"""
