import { eachOf, type List } from '@tickwright/client'
import type { Context } from '../context.ts'
import type { Column } from '../output/table.ts'
import { botId } from '../things.ts'
import {
  botColumns,
  fillColumns,
  orderColumns,
  positionColumns,
  runColumns,
  signalColumns,
  timeOf,
} from './columns.ts'

/** Which records to list, as options of a command. */
export type Which = { bot?: string; symbol?: string; status?: string; since?: string; limit: number }

type Part = { page?: number; before?: number; limit: number }

export async function bots(context: Context): Promise<void> {
  const { bots } = await context.client()
  await show(context, botColumns, (part) => bots.signal.list(part), 'You have no bots.')
}

export async function positions(context: Context, which: Which & { all?: boolean }): Promise<void> {
  const client = await context.client()
  const query = { ...(await queryOf(context, which)), ...(which.all === true ? { all: true } : {}) }
  const list = (part: Part) => client.positions.list({ ...part, ...query })
  await show(context, positionColumns, list, 'There are no such positions.', which.limit)
}

export async function orders(context: Context, which: Which): Promise<void> {
  const client = await context.client()
  const query = await queryOf(context, which)
  const status = which.status as 'OPEN' | undefined
  const list = (part: Part) => client.orders.list({ ...part, ...query, ...(status && { status }) })
  await show(context, orderColumns, list, 'There are no such orders.', which.limit)
}

export async function fills(context: Context, which: Which): Promise<void> {
  const client = await context.client()
  const query = await queryOf(context, which)
  await show(
    context,
    fillColumns,
    (part) => client.fills.list({ ...part, ...query }),
    'There are no such fills.',
    which.limit,
  )
}

export async function signals(context: Context, which: Which & { strategy?: number }): Promise<void> {
  const client = await context.client()
  const query = { ...sinceOf(which), ...(which.strategy && { strategy_id: which.strategy }) }
  const list = (part: Part) => client.signals.list({ ...part, ...query })
  await show(context, signalColumns, list, 'There are no such signals.', which.limit)
}

export async function runs(context: Context, which: Which & { strategy?: number }): Promise<void> {
  const client = await context.client()
  const status = which.status as 'FAILED' | undefined
  const query = {
    ...sinceOf(which),
    ...(which.strategy && { strategy_id: which.strategy }),
    ...(status && { status }),
  }
  await show(
    context,
    runColumns,
    (part) => client.runs.list({ ...part, ...query }),
    'There are no such runs.',
    which.limit,
  )
}

/** The posts that webhooks of both kinds refused, newest first. */
export async function refusals(context: Context, which: { limit: number }): Promise<void> {
  const { webhooks } = await context.client()
  const kinds = [
    { kind: 'data webhook', hooks: webhooks.data },
    { kind: 'bot webhook', hooks: webhooks.bot },
  ] as const
  const refused = []
  for (const { kind, hooks } of kinds) {
    for await (const { id, name } of eachOf<{ id: number; name: string }>(hooks.list)) {
      const latest = await first(
        eachOf((part) => hooks.refused(id, part)),
        which.limit,
      )
      refused.push(...latest.map((post) => ({ webhook: `${kind} ${id} ${name}`, ...post })))
    }
  }
  refused.sort((a, b) => b.refused_at.localeCompare(a.refused_at))
  context.out.rows(
    [
      { title: 'time (UTC)', value: (post) => timeOf(post.refused_at) },
      { title: 'webhook', value: (post) => post.webhook },
      { title: 'status', value: (post) => post.status, isNumber: true },
      { title: 'code', value: (post) => post.code },
      { title: 'from', value: (post) => post.ip },
      { title: 'more', value: (post) => post.more, isNumber: true },
      { title: 'reason', value: (post) => post.reason },
    ],
    refused.slice(0, which.limit),
    'Your webhooks have refused nothing.',
  )
}

async function show<Item>(
  { out }: Context,
  columns: readonly Column<Item>[],
  list: (part: Part) => Promise<List<Item>>,
  none: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<void> {
  out.rows(columns, await first(eachOf(list), limit), none)
}

/** The first items of a list. */
export async function first<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) {
    found.push(item)
    if (found.length >= most) break
  }
  return found
}

async function queryOf(context: Context, which: Which) {
  return {
    ...sinceOf(which),
    ...(which.symbol !== undefined && { symbol: which.symbol }),
    ...(which.bot !== undefined && { bot_id: await botId(context, which.bot) }),
  }
}

function sinceOf({ since }: Which) {
  return since === undefined ? {} : { since }
}
