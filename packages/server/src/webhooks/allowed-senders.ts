import { AppError, invalidField } from '../base/errors.ts'
import { isNetwork, isWithin } from '../base/networks.ts'
import type { Webhook } from './webhook-kind.ts'

/** What `allow_from` may have instead of a network. */
export const tradingViewSenders = 'tradingview'

/**
 * The addresses from which TradingView posts alerts, as its help says: "How to configure webhook alerts"
 * (https://www.tradingview.com/support/solutions/43000529348).
 */
const tradingViewAddresses = ['52.89.214.238', '34.212.75.30', '54.218.53.128', '52.32.178.7']

/** @throws {AppError} 400, naming the entry that is no network */
export function readAllowFrom(given: readonly string[]): string[] {
  const read = given.map((each) => each.trim().toLowerCase())
  const wrong = read.find((each) => each !== tradingViewSenders && !isNetwork(each))
  if (wrong === undefined) return [...new Set(read)]
  throw invalidField(
    'allow_from',
    `must list IP addresses, networks such as 192.0.2.0/24, or ${tradingViewSenders}, got "${wrong}"`,
  )
}

/**
 * Checks the address of a sender, which behind a reverse proxy is the one that a trusted proxy says.
 * @param ip `undefined`: the sender has ended the connection
 * @throws {AppError} 403, with the address
 */
export function checkAllowed({ allowFrom }: Pick<Webhook, 'allowFrom'>, ip: string | undefined): void {
  if (allowFrom.length === 0) return
  const networks = allowFrom.flatMap((each) => (each === tradingViewSenders ? tradingViewAddresses : each))
  if (ip !== undefined && isWithin(ip, networks)) return
  throw new AppError(
    'sender_not_allowed',
    `This webhook does not accept posts from ${ip ?? 'an unknown address'}: it is not among its allow_from.`,
  )
}
