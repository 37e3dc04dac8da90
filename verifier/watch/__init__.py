"""Following a log.

`watch`          the turns
`troubles`       temporary troubles, and lasting ones, which become alarms
`events`         what a watch reports
`alarm_command`  runs a user's command on an alarm
`back_off`       how long to wait for a log that cannot be read
"""
