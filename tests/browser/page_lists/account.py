"""Reports, plan, data and first-message pages, for the test that visits every page."""

ACCOUNT = {
    "report-messages": "/reports/messages",
    "report-orders": "/reports/orders?period=30",
    "report-orders-empty": "/reports/orders?period=range&since=2020-01-01&until=2020-01-31",
    "report-printing": "/reports/printing",
    "report-delivery": "/reports/delivery",
    "first-message": "/first-message",
    "plan": "/plan",
    "data": "/settings/data",
    "close": "/settings/close",
}
