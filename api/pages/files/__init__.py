"""The files that pages load.

`assets`        where they lie
`static_files`  their addresses
`scripts`       their names with a digest
`bundle`        modules joined to one script
`badge_data`    words and shapes that the badge's script brings with it
`packing`       compressed answers
"""
