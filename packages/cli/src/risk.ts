import { eachOf } from '@tickwright/client'
import type { Context } from './context.ts'

/** What is known of a bot that may trade real money. */
export type Trader = {
  id: number
  name: string
  mode: 'paper' | 'live'
  demo: boolean
  status: 'ACTIVE' | 'INACTIVE'
}

const mostNamed = 3

/** Whether a bot trades real money when it trades. */
export function isReal({ mode, demo }: Pick<Trader, 'mode' | 'demo'>): boolean {
  return mode === 'live' && !demo
}

/**
 * Why to ask before something that may make these bots trade: those that are on and trade real money, by name.
 * @returns `undefined` if there are none
 */
export function riskOf(bots: readonly Trader[]): string | undefined {
  const real = bots.filter((bot) => isReal(bot) && bot.status === 'ACTIVE')
  if (real.length === 0) return undefined
  const named = real.slice(0, mostNamed).map(({ id, name }) => `${id} (${name})`)
  const more = real.length > mostNamed ? ` and ${real.length - mostNamed} more` : ''
  return `It may trade real money: live bot ${named.join(', ')}${more}.`
}

/** The same for all bots of the account, for what may reach any of them. */
export async function riskOfAll(context: Context): Promise<string | undefined> {
  const { bots } = await context.client()
  const all: Trader[] = []
  for await (const bot of eachOf(bots.signal.list)) all.push(bot)
  return riskOf(all)
}
