"""Fresh Debian machines, as far as a test can have them: each has its own root, processes and address.

`tree`      Debian as debootstrap makes it, once, with the packages that our documents name
`machines`  machines in network namespaces, which are started, lose their power, and are reached by ssh
`stand_in`  in the place of systemd there: starts what units say
`typed`     the commands of a document, as a person types them
`released`  the files of the release, and the packages that pip asks for
"""
