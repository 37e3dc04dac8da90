"""Following a log.

`watch`          the turns
`aids`           the finding aids of what was replayed
`troubles`       temporary troubles, and lasting ones, which become alarms
`events`         what a watch reports
`alarm_command`  runs a user's command on an alarm
`back_off`       how long to wait for a log that cannot be read
"""
