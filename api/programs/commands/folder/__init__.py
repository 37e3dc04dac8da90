"""The commands about the data folder as a whole.

`init`     makes a new service
`doctor`   explains the state of the data folder
`upgrade`  brings the database to the schema of this version
`copies`   copies the data folder, and puts parts of a copy back
`rebuild`  makes the database again
"""
