/**
 * The paths that belong to the dashboard. For each of them, and for everything below them, the service answers with a
 * document, and the router in the browser shows the page. The documents differ only in what they load early.
 */
export const pagePaths = [
  ...['/', '/start', '/overview', '/about'],
  ...['/sign-in', '/signup', '/reset', '/email'],
  ...['/strategies', '/ai-strategies', '/approvals'],
  ...['/webhooks', '/deliveries', '/runs', '/signals', '/backtests', '/bots', '/trading'],
  ...['/settings', '/administration'],
]
