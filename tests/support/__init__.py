"""What several tests need: real services, servers and machines; logs, honest and false; and programs run in this
process.

Logs and files, made without a service:

`dishonest_operator`    an operator that can lie, and signs whatever it wrote
`codes`                 round codes of its tables
`proofs`                proof files of its rounds
`sandbox`               the log of a sandbox
`custodians`            custodians' notes for its batches
`witnessed`             witnessed files for its batches, true and false ones
`forks`                 two histories of one log
`own_keys`              operators of whom each has a log and a key of its own
`logs`                  the log of the vectors, and long ones
`large_log`             more than 70,000 records, published by the service's own sequencer
`salted_log`            the salted log of the vectors
`shown`                 one round of a log, asked for in each way that begins with finding aids
`salted_example`        the example in section 1.1 of SPEC.md
`dispute`               the casino of docs/dispute.md
`columns`               outcomes as statistics have them
`drawn`                 outcomes that pictures are drawn of
`settlements`           what became of bets of every option
`declarations`          random declarations
`hostile_declarations`  declarations that break a rule, and newer ones
`hostile_paytables`     paytables that do
`fuzzed_paytables`      random ones, and bets by them
`asked_in_javascript`   bets and paytables, asked of the verifier in JavaScript

A service in this process, turn by turn, in a world that can fail:

`in_process_service`  the service
`engines`             its engines, at tables at which players decide and at others
`salted_service`      one with a beacon
`witnessed_service`   one with three witnesses
`alike_tables`      one with two tables whose ids begin alike
`faulty_world`        files, commits, custodian and clock that fail on request
`scenarios`           what it does while a fault strikes
`succession`          one whose log ends, and the log that follows it
`tampering`           changes of its database behind its back
`damage`              what happens to its folder while it is stopped
`unreleased`          seeds that nobody may find anywhere
`released_folder`     its data folder as a release left it
`next_version`        the next version of this program, for which present databases are older

A service as operators run it, and what stands around it:

`running_service`  gunicorn and the background program
`shared_services`  the one that several files of tests share
`engine`           an engine that plays it through every failure
`kept_connections`  a client's connections, which the service may close when they were silent for long
`http`             requests byte by byte
`addresses`        addresses that no honest caller requests
`planted`          modules of names in use, in folders where nobody should look for modules
`busy`             whether a process had no time for the public
`databases`        where services have their database, and how tests change it
`postgres`         PostgreSQL
`s3_server`        SeaweedFS
`web_servers`      nginx and Caddy with the configurations of deploy/
`calls`            the names of engines' calls
`tokens`           tokens that no service has made
`descriptions`     what is described of the calls of both listeners
`doubling_proxy`   a proxy that repeats calls by itself
`web_proxy`        a company's proxy, which alone finds some names
`compose`          the containers of deploy/compose.yaml as processes
`debian`           fresh Debian machines, which a release is installed on
`failover`         two machines of one service
`network`          network namespaces with cables that a test unplugs
`proxy`            a line between two programs that a test slows or cuts
`small_disk`       a disk that a test fills
`unsynced`         folders that cannot be synced
`dates`            a wrong date for some processes
`durable_steps`    every step that makes something durable, and what must hold after a kill there
`crash_points`     processes that kill themselves at such a step, or fill the disk there

Beacons and witnesses:

`beacons`         pulses that tests know
`relays`          a beacon on this machine
`witnesses`       witnesses that cosign what a test gives them
`witness_server`  the same as servers, honest until a test makes them misbehave
`our_witness`     ``foredraw-verify witness``
`askers`          requests to witnesses, without threads
`ssh_agents`      ssh-agents that hold witnesses' keys

Verifiers, commands and documents:

`pythons`      the Pythons of this machine
`ran`          runs of ``foredraw-verify`` in this process
`commands`     commands of ``foredraw`` in this process
`interrupted`  programs that Ctrl-C ends while they start
`watching`     ``foredraw-verify watch``, turn by turn
`released`     the one-file verifier of an earlier day
`verdicts`     verdicts of both implementations, in one form
`log_server`   web servers with a log's folder, and hostile ones
`documents`    documents and their blocks
`spec_page`    the parts of SPEC.md, and a shell for its commands
`scenes`       the files that a document's commands find
`browser`      pages in a browser

All tests:

`same_everywhere`  no settings of who runs them, and examples that may take their time
"""
