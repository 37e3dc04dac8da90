"""The commands about the data folder as a whole.

`doctor`   explains the state of the data folder
`copies`   copies the data folder, and puts parts of a copy back
`rebuild`  makes the database again
"""
