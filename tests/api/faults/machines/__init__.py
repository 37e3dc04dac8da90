"""A service on several machines, of which one is lost: its standby, the containers of the kit, and the kit's nginx in
front.
"""
