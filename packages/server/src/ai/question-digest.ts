/** Names what a model is asked, so that a later run can be compared with an earlier one. */
import { createHash } from 'node:crypto'
import type { ChartSettings } from '../market/chart/chart-settings.ts'
import type { ModelAccess } from './providers.ts'
import type { Policy } from './tools.ts'

export type AskedQuestion = {
  access: Pick<ModelAccess, 'serviceId' | 'baseUrl' | 'model'>
  /** With its placeholders. */
  prompt: string
  policy: Policy
  chart: ChartSettings | null
}

/** SHA-256 in hex, of the prompt, the model, what the model may do, and the chart that it sees. */
export function questionDigest({ access, prompt, policy, chart }: AskedQuestion): string {
  const { serviceId, baseUrl, model } = access
  const { actions, maxSize, tools, mayChange } = policy
  return textDigest(
    JSON.stringify([
      ...[serviceId, baseUrl, model, prompt],
      ...[[...actions].sort(), maxSize, [...tools].sort(), [...mayChange].sort((a, b) => a - b)],
      chart && [chart.symbol, chart.interval, chart.studies, chart.range],
    ]),
  )
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
