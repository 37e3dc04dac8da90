"""What must hold in every engine of browsers: Chromium, Firefox and WebKit, each started as it is, without a driver.

`test_direction`  nothing that was drawn is read backwards on a page that is written from right to left
"""
