import type { Database } from '../db/database.ts'
import type { Belonging, Change } from '../live/changes.ts'
import type { Found, Source } from '../live/source.ts'
import { isoSql } from '../notifications/store.ts'

const strategiesSql = `
select s.id, s.user_id, json_build_object('id', s.id, 'type', s.type, 'name', s.name,
  'status', case when s.status = 'INACTIVE' then 'INACTIVE' when t.suspended_until > now() then 'SUSPENDED'
    else 'ACTIVE' end,
  'suspended_until', case when s.status = 'ACTIVE' and t.suspended_until > now()
    then ${isoSql('t.suspended_until')} end,
  'suspension_reason', case when s.status = 'ACTIVE' and t.suspended_until > now() then t.suspension end)
from strategies s join strategy_state t on t.strategy_id = s.id
where s.id = any($1::bigint[])`

const statusSql = (table: string, type: string) => `
select s.id, s.user_id,
  json_build_object('id', s.id, 'type', '${type}', 'name', s.name, 'status', s.status)
from ${table} s where s.id = any($1::bigint[])`

/** Reads the status of strategies, bots and webhooks. The `part` of a change says which of these its `id` is of. */
export function statusSource(database: Database): Source {
  const statements = {
    strategy: database.prepare('live_strategies', strategiesSql),
    bot: database.prepare('live_bots', statusSql('bots', 'signal-bot')),
    data_webhook: database.prepare('live_data_webhooks', statusSql('data_webhooks', 'data-webhook')),
    bot_webhook: database.prepare('live_bot_webhooks', statusSql('bot_webhooks', 'bot-webhook')),
  }
  const read = async (part: keyof typeof statements, ids: number[]): Promise<Map<number, Found>> => {
    const rows = await statements[part]([`{${ids.join()}}`])
    return new Map(
      rows.map(([id, userId, record]) => [
        Number(id),
        { userId: Number(userId), ...belonging(part, Number(id)), record: JSON.parse(record!) },
      ]),
    )
  }
  return async (changes, listeners) => {
    const byPart = Map.groupBy(changes, partOf)
    const found = new Map<string, Map<number, Found>>()
    for (const [part, ofPart] of byPart) {
      const ids = ofPart.map(({ id }) => id)
      found.set(part, await read(part, ids))
    }
    return changes.map((change) => {
      const status = found.get(partOf(change))?.get(change.id)
      return status === undefined || !listeners.has(status.userId!) ? [] : [status]
    })
  }
}

type Part = 'strategy' | 'bot' | 'data_webhook' | 'bot_webhook'

function partOf({ part = 'strategy' }: Change): Part {
  return part as Part
}

function belonging(part: Part, id: number): Belonging {
  if (part === 'strategy') return { strategyId: id }
  if (part === 'bot') return { botId: id }
  return { webhookId: id, webhookKind: part === 'data_webhook' ? 'data' : 'bot' }
}
