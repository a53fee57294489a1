import { setTimeout as sleep } from 'node:timers/promises'
import { given } from '../base/given.ts'
import type { Node } from '../db/node.ts'
import type { Venue } from '../trading/types.ts'
import type { Inbox, ProtectedClose } from './inbox.ts'

/** How long an order waits for a heartbeat of this node to reach the database. */
const heartbeatTimeoutMs = 5_000

const unsent = 'The order was not sent, because this node cannot reach the database.'

type Holder = { inbox: Pick<Inbox, 'read'>; node: Pick<Node, 'mayWork' | 'beat'>; botId: number }

/**
 * A venue that gets no order while another node may hold the bot.
 * @param close the protection that a close comes from
 */
export function fencedVenue(venue: Venue, holder: Holder, close?: ProtectedClose): Venue {
  return {
    kind: venue.kind,
    rules: (symbol) => venue.rules(symbol),
    price: (symbol) => venue.price(symbol),
    lookUp: (order) => venue.lookUp(order),
    ...given({ whyNoLimits: venue.whyNoLimits, bestPrices: venue.bestPrices?.bind(venue) }),
    ...given({ marginOf: venue.marginOf?.bind(venue) }),
    cancel: async (order) => {
      if (holder.node.mayWork()) await venue.cancel(order)
    },
    place: async (order) => {
      if (!(await isStillOurs(holder))) return { status: 'unknown', reason: unsent }
      const whyNotNow = () => (holder.node.mayWork() ? null : unsent)
      return venue.place({ ...order, ...given({ ...close }) }, whyNotNow)
    },
  }
}

/**
 * A process that was suspended has missed its heartbeats, so another node may have claimed the bot. If this node still holds
 * the bot after a new heartbeat, no other node can claim it from then on.
 */
async function isStillOurs({ inbox, node, botId }: Holder): Promise<boolean> {
  if (node.mayWork()) return true
  const askAgain = async () => {
    await node.beat()
    return (await inbox.read(botId)) !== undefined && node.mayWork()
  }
  const tooLate = sleep(heartbeatTimeoutMs, false, { ref: false })
  return Promise.race([askAgain().catch(() => false), tooLate])
}
