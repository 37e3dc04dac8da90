"""What a player holds (SPEC 6 and 7).

`bech32m`     BIP 350: a typing error never passes
`round_code`  the code of a round
`bets`        the digest of the accepted bets, and a receipt for each of them
"""
