"""Following a log.

`watch`          one turn after the other
`troubles`       what passes, and what lasts and becomes an alarm
`events`         what a watch reports
`alarm_command`  runs a user's command on an alarm
`back_off`       how long to wait for a log that is away
"""
