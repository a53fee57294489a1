/**
 * The default limits for the objects of one user: far more than anyone needs, but few enough that nobody fills the
 * database. They apply to administrators too.
 */
export const defaultLimits = {
  api_keys: 100,
  sessions: 100,
  invitations: 1_000,
  data_webhooks: 1_000,
  bot_webhooks: 1_000,
  shares: 10_000,
  test_payloads: 200,
  strategies: 10_000,
  folders: 1_000,
  variables: 500,
  bots: 1_000,
  exchange_connections: 50,
  ai_connections: 50,
  notification_endpoints: 10,
  callback_hosts: 20,
  candle_series: 200,
} as const

export type Limited = keyof typeof defaultLimits
export type Limits = Record<Limited, number>

/** In the order in which they are shown. */
export const limitedNames = Object.keys(defaultLimits) as Limited[]

/** The highest limit that anyone can set. */
export const highestLimit = 1_000_000

/**
 * Reads a text such as `strategies:500,bots:20`. Other limits keep their defaults.
 * @returns `undefined` for an invalid text
 */
export function parseLimits(text: string): Limits | undefined {
  const limits: Limits = { ...defaultLimits }
  for (const part of text.split(',')) {
    const [, name = '', figure] = /^\s*(\w+):(\d{1,7})\s*$/.exec(part) ?? []
    if (!isLimited(name) || Number(figure) < 1 || Number(figure) > highestLimit) return undefined
    limits[name] = Number(figure)
  }
  return limits
}

function isLimited(name: string): name is Limited {
  return Object.hasOwn(defaultLimits, name)
}
