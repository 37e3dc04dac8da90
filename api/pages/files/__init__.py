"""The files that pages load.

`assets`        where they lie
`static_files`  their addresses
`scripts`       their names with a digest
`bundle`        modules joined to one script
`carried`       code of others that we serve
`packing`       compressed answers
"""
