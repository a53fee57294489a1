/** A backtest in words. */
import { plainText } from '../../base/text.ts'
import type { Backtest } from './backtests.ts'

type Asked = Pick<Backtest, 'strategy_id' | 'version' | 'bot_webhook_id' | 'webhook_id'>

/** Where its signals are from: a saved version, code that was not saved, or a bot webhook. */
export function sourceText(
  { strategy_id: id, version, bot_webhook_id: botWebhookId, webhook_id: webhookId }: Asked,
  nameOf: (id: number | null) => string,
): string {
  if (botWebhookId !== null) return `signals of bot webhook ${botWebhookId}`
  const on = webhookId === null ? '' : `, on deliveries of webhook ${webhookId}`
  if (id === null) return `given with the request${on}`
  return `${plainText(nameOf(id))}, ${version === null ? 'a draft' : `version ${version}`}${on}`
}
