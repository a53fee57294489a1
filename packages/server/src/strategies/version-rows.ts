/** The rows of versions. `docs/strategies.md` says what a version is. */
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { Save } from './saves.ts'

const text = sql`case when l.strategy_id is null then s.code else l.prompt end`

/** The settings of a strategy that change what runs, except its text, under their names in the API. */
const settings = sql`
  jsonb_build_object('send_signal', s.send_signal, 'webhook_id', s.webhook_id, 'symbol', s.symbol)
  || case when l.strategy_id is not null then jsonb_build_object(
    'connection_id', l.connection_id, 'fallback_id', l.fallback_id, 'actions', l.actions, 'max_size', l.max_size,
    'tokens_per_day', l.tokens_per_day, 'actions_per_day', l.actions_per_day,
    'use_chart', l.use_chart, 'chart_symbol', l.chart_symbol, 'chart_interval', l.chart_interval,
    'chart_studies', l.chart_studies, 'chart_range', l.chart_range)
  else jsonb_build_object(
    'use_price', s.use_price, 'exchange_id', s.exchange_id, 'price_symbol', s.price_symbol) end
  || case when s.cron_interval is not null then jsonb_build_object(
    'cron_interval', s.cron_interval, 'timezone', s.timezone)
  else jsonb_build_object('data_webhook_id', s.data_webhook_id, 'delay', s.delay) end`

/** The names of the settings in which the content `c` differs from the version `v`; empty without such a version. */
const changed = sql`
  case when v.version is null then '[]'::jsonb else
    case when v.text is distinct from c.text then jsonb_build_array(c.text_name) else '[]'::jsonb end
    || coalesce((
      select jsonb_agg(e.key order by e.key) from jsonb_each(c.settings) e
      where v.settings -> e.key is distinct from e.value
    ), '[]'::jsonb)
  end`

/**
 * Makes a version of what a strategy now executes, unless its latest version is the same. The transaction has to hold
 * the strategy, so that versions are made one after the other.
 */
export async function keepVersion(
  tx: Db,
  strategyId: number,
  save: Omit<Save, 'byStrategyId'> & { byStrategyId: number | null },
): Promise<void> {
  const { via, apiKeyId, byStrategyId, reason, restoredFrom } = save
  const by: SQL = byStrategyId === null ? sql`${via}::text` : sql`'strategy'`
  await tx.execute(sql`
    with content as (
      select s.id, s.version, ${text} as text, ${settings} as settings,
        case when l.strategy_id is null then 'code' else 'prompt' end as text_name
      from strategies s left join llm_settings l on l.strategy_id = s.id
      where s.id = ${strategyId}
    ), compared as materialized (
      select c.*, v.version as latest, ${changed} as changed
      from content c left join lateral (
        select * from strategy_versions where strategy_id = c.id order by version desc limit 1
      ) v on true
    ), ended as (
      update strategy_versions v set until = c.version from compared c
      where v.strategy_id = c.id and v.version = c.latest and c.changed <> '[]'::jsonb
    )
    insert into strategy_versions
      (strategy_id, version, text, settings, changed, via, api_key_id, by_strategy_id, reason, restored_from)
    select id, version, text, settings, changed, ${by}, ${apiKeyId}::bigint, ${byStrategyId}::bigint,
      ${reason ?? null}::text, ${restoredFrom ?? null}::bigint
    from compared where latest is null or changed <> '[]'::jsonb`)
}
