/** How many things of each kind a user may have. */

import { ApiError, type UserLimits } from '@tickwright/client'

export type LimitName = keyof UserLimits
export type LimitRow = { name: LimitName; title: string } & UserLimits[LimitName]

/** In the order in which pages show them. */
const titles: Record<LimitName, string> = {
  strategies: 'Strategies and reactions',
  bots: 'Bots',
  data_webhooks: 'Data webhooks',
  bot_webhooks: 'Bot webhooks',
  shares: 'Shares of webhooks',
  test_payloads: 'Test payloads',
  folders: 'Folders',
  variables: 'Variables',
  exchange_connections: 'Connections to exchanges',
  ai_connections: 'Connections to models',
  notification_endpoints: 'Notification endpoints',
  callback_hosts: 'Hosts of callbacks',
  candle_series: 'Series of candles',
  api_keys: 'API keys',
  sessions: 'Sessions',
  invitations: 'Open invitations',
}

/** @param isAdministrator only administrators invite */
export function limitRows(limits: UserLimits, isAdministrator: boolean): LimitRow[] {
  return (Object.keys(titles) as LimitName[])
    .filter((name) => name !== 'invitations' || isAdministrator)
    .map((name) => ({ name, title: titles[name], ...limits[name] }))
}

type Changes = { [Name in LimitName]?: number | null }

/**
 * The limits that a form changes. An empty field stands for the limit of the installation.
 * @throws {ApiError} as the service does, for what is no whole number
 */
export function changedLimits(texts: { get(name: string): unknown }, rows: readonly LimitRow[]): Changes {
  const changes: Changes = {}
  const details: { field: string; message: string }[] = []
  for (const { name, own } of rows) {
    const text = String(texts.get(name) ?? '').trim()
    const limit = text === '' ? null : Number(text)
    if (limit !== null && !/^\d{1,7}$/.test(text))
      details.push({ field: `body.${name}`, message: 'must be a whole number, or empty for the default' })
    else if (limit !== own) changes[name] = limit
  }
  if (details.length === 0) return changes
  const message = 'A limit is no whole number.'
  throw new ApiError({ status: 400, code: 'request_invalid', message, details })
}
