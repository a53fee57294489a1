import { and, asc, eq, inArray, or } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import { bots, exchangeConnections, strategies } from '../db/schema.ts'
import type { Found } from './deployable.ts'
import type { Wanted } from './plan.ts'

/** A bot that something active can make trade. */
export type Follower = {
  id: number
  name: string
  mode: 'paper' | 'live'
  demo: boolean
  status: 'ACTIVE' | 'INACTIVE'
}

type Changed = Pick<Wanted, 'kind'> & { object: Found }

const none: readonly never[] = []

/**
 * The bots of the user that follow what has been changed, if it is active: the bots of a strategy's bot webhook, those of
 * the reactions of a data webhook, and a bot itself.
 * @returns for each object, in the same order
 */
export async function followersOf(
  tx: Db,
  userId: number,
  changed: readonly Changed[],
): Promise<readonly (readonly Follower[])[]> {
  const active = changed.filter(({ object }) => object.isActive)
  const ofData = await webhooksOfReactions(
    tx,
    userId,
    active.filter(({ kind }) => kind === 'data-webhook').map(({ object }) => object.id),
  )
  const webhooksOf = ({ kind, object }: Changed): readonly number[] => {
    if (kind === 'data-webhook') return ofData.get(object.id) ?? none
    if (kind === 'bot-webhook') return [object.id]
    const { webhook_id: id } = object.settings
    return kind !== 'signal-bot' && typeof id === 'number' ? [id] : none
  }
  const found = await botsOf(
    tx,
    userId,
    active.flatMap(webhooksOf),
    active.filter(({ kind }) => kind === 'signal-bot').map(({ object }) => object.id),
  )
  return changed.map((each) => {
    if (!each.object.isActive) return none
    const webhooks = webhooksOf(each)
    return found
      .filter(({ bot, webhookId }) =>
        each.kind === 'signal-bot' ? bot.id === each.object.id : webhooks.includes(webhookId ?? 0),
      )
      .map(({ bot }) => bot)
  })
}

async function webhooksOfReactions(
  tx: Db,
  userId: number,
  dataWebhooks: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await tx
    .select({ from: strategies.dataWebhookId, to: strategies.webhookId })
    .from(strategies)
    .where(
      and(
        eq(strategies.userId, userId),
        eq(strategies.status, 'ACTIVE'),
        inArray(strategies.dataWebhookId, [...dataWebhooks]),
      ),
    )
  const webhooks = new Map<number, number[]>()
  for (const { from, to } of rows)
    if (from !== null && to !== null) webhooks.set(from, [...(webhooks.get(from) ?? []), to])
  return webhooks
}

async function botsOf(tx: Db, userId: number, webhooks: readonly number[], ids: readonly number[]) {
  const rows = await tx
    .select({ bot: bots, isDemo: exchangeConnections.isDemo })
    .from(bots)
    .leftJoin(exchangeConnections, eq(exchangeConnections.id, bots.connectionId))
    .where(
      and(eq(bots.userId, userId), or(inArray(bots.webhookId, [...webhooks]), inArray(bots.id, [...ids]))),
    )
    .orderBy(asc(bots.id))
  return rows.map(({ bot: { id, name, mode, status, webhookId }, isDemo }) => ({
    webhookId,
    bot: { id, name, mode, demo: mode === 'live' && isDemo === true, status } satisfies Follower,
  }))
}
