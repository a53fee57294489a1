/** A backtest in words. */
import { plainText } from '../../base/text.ts'
import type { Backtest } from './backtests.ts'

type Asked = Pick<Backtest, 'strategy_id' | 'version' | 'bot_webhook_id'>

/** Where its signals are from: a saved version, code that was not saved, or a bot webhook. */
export function sourceText(
  { strategy_id: id, version, bot_webhook_id: webhookId }: Asked,
  nameOf: (id: number | null) => string,
): string {
  if (webhookId !== null) return `signals of bot webhook ${webhookId}`
  if (id === null) return 'given with the request'
  return `${plainText(nameOf(id))}, ${version === null ? 'a draft' : `version ${version}`}`
}
