/**
 * How a signal gets to its bots: parts of the statements that store signals. So a signal is never stored without its
 * rows for the bots. A signal goes to each bot that is `ACTIVE` at that moment, if its bot webhook is `ACTIVE` too.
 */

/** What follows `from` to find the bots of a webhook, as `b`. @param webhookId an SQL expression */
export const followersSql = (webhookId: string) => `
  bots b join bot_webhooks bw on bw.id = b.webhook_id
  where b.webhook_id = ${webhookId} and b.status = 'ACTIVE' and bw.status = 'ACTIVE'`

/** Whether bots may take a signal at all. @param signal SQL expressions: `flags` of text[], `symbols` of jsonb */
export const isTradedSql = ({ symbols, flags }: { symbols: string; flags: string }) =>
  `('TEST' <> all(${flags}) and jsonb_array_length(${symbols}) > 0)`

/** Whether a bot follows a webhook. @param webhookId an SQL expression */
export const isFollowedSql = (webhookId: string) => `exists (select from ${followersSql(webhookId)})`

/**
 * The value of `signals.reason`: why no bot takes the signal, as a sentence for its owner; null if one does. Each
 * parameter is an SQL expression of its row.
 */
export const reasonSql = (signal: {
  webhookId: string
  symbols: string
  flags: string
  isFollowed: string
}) => `case
    when 'TEST' = any(${signal.flags}) then 'The signal has the flag TEST: it is recorded, but never traded.'
    when jsonb_array_length(${signal.symbols}) = 0 then 'The signal has no symbol, so no bot can trade it.'
    when ${signal.isFollowed} then null
    when ${signal.webhookId} is null then 'The strategy has no bot webhook: its webhook_id is null.'
    when not exists (select from bot_webhooks bw where bw.id = ${signal.webhookId} and bw.status = 'ACTIVE')
      then 'The bot webhook was INACTIVE.'
    else 'No ACTIVE bot followed the bot webhook.' end`

/**
 * The text of a CTE that stores a row for each signal, bot and symbol, and returns `bot_id` and `signal_id`. A bot may
 * delay it: see `bots/delays.ts`.
 * @param sent the name of a CTE that inserts signals, and returns `id`, `webhook_id`, `symbols`, `delivered` and
 *   `created_at`. Both see the same bots, because a statement has one snapshot.
 */
export const routedSql = (sent: string) => `
  insert into bot_signals (bot_id, user_id, signal_id, symbol, status, queued_at, due_at)
  select b.id, b.user_id, s.id, t.symbol, case when d.delay is null then 'QUEUED' else 'DELAYED' end,
    s.created_at, s.created_at + d.delay
  from ${sent} s
  -- This joins a CTE with an indexed table, so the cost is not the square of the batch.
  join bots b on b.webhook_id = s.webhook_id and b.status = 'ACTIVE'
  cross join lateral jsonb_array_elements_text(s.symbols) with ordinality as t(symbol, place)
  cross join lateral (
    select nullif((b.settings->>'delaySeconds')::integer * 1000 + case b.mode when 'paper'
      then coalesce((b.settings->>'latencyMs')::integer, 0) else 0 end, 0) * interval '1 millisecond' as delay
  ) d
  where s.delivered
  order by s.id, b.id, t.place
  -- The symbols of a strategy may contain one twice.
  on conflict (bot_id, signal_id, symbol) do nothing
  returning bot_id, signal_id`
