"""What a release has, and how each of it is made.

`archive`    our sources, and archives that every build makes alike
`build`      the verifier as one file
`start`      its entry
`stand_ins`  its replacements for compiled packages
`wheels`     the wheels of the verifier and of the service
`sbom`       what an installed service consists of
`page`       the verifier as one page
`badge`      the badge's script
`machine`    what a Debian machine gets, in one archive
`release`    the folder of a release
"""
