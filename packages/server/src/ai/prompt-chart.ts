import type { Chart } from '../market/chart/charts.ts'
import type { Message } from './answer.ts'
import { mostPictureTokens, mostTokens } from './budget.ts'
import { ProviderFailure } from './provider-failure.ts'
import { untrustedBlock } from './untrusted.ts'

/** A chart for a model; or why there is none. */
export type PromptChart = Chart | { reason: string }

/** How the model gets a chart: as a picture; or as rows, if there is no picture or the model does not take any. */
export type ChartView = 'picture' | 'rows'

type Part = Extract<Message, { role: 'user' }>['content'][number]

/** The most characters of the rows that the model sees. */
const rowsLimit = 32 * 1024

export function viewOf(chart: PromptChart | null): ChartView {
  return pictureOf(chart) === null ? 'rows' : 'picture'
}

/** Adds a chart to the first messages. Its symbols, numbers and failures come from outside. */
export function withChart(
  messages: readonly Message[],
  chart: PromptChart | null,
  { view, boundary }: { view: ChartView; boundary: string },
): Message[] {
  if (chart === null) return [...messages]
  return messages.map((message) =>
    message.role === 'user'
      ? { ...message, content: [...message.content, ...partsOf(chart, view, boundary)] }
      : message,
  )
}

function partsOf(chart: PromptChart, view: ChartView, boundary: string): Part[] {
  if ('reason' in chart) {
    const block = untrustedBlock('chart', chart.reason, { boundary, limit: 1_000 })
    return [{ type: 'text', text: `\n\nThere is no chart:\n${block}` }]
  }
  const { caption, rows, picture } = chart
  if (view === 'picture' && picture instanceof Uint8Array) {
    const data = { type: 'data', data: picture.toString('base64') } as const
    return [
      { type: 'text', text: `\n\n${caption}` },
      { type: 'file', mediaType: 'image/png', data },
    ]
  }
  const block = untrustedBlock('candles', rows, { boundary, limit: rowsLimit, isToon: true })
  return [{ type: 'text', text: `\n\n${caption} Here it is as rows:\n${block}` }]
}

/** How many pictures a question has, and the bytes of everything else in it. */
export function sizeOf(messages: readonly Message[], tools: unknown): { bytes: number; pictures: number } {
  let pictures = 0
  const texts = messages.map((message) => {
    if (message.role !== 'user') return message
    const content = message.content.filter((part) => part.type !== 'file')
    pictures += message.content.length - content.length
    return { ...message, content }
  })
  return { bytes: Buffer.byteLength(JSON.stringify([texts, tools])), pictures }
}

/** The most tokens that a question can have. */
export function mostTokensOf(messages: readonly Message[], tools: unknown): number {
  const { bytes, pictures } = sizeOf(messages, tools)
  return mostTokens(bytes) + pictures * mostPictureTokens
}

/** The chart as the transcript has it. */
export function describeChart(chart: PromptChart): { type: 'chart'; text: string; picture: boolean } {
  if ('reason' in chart) return { type: 'chart', text: `There is no chart. ${chart.reason}`, picture: false }
  const { caption, picture } = chart
  if (picture instanceof Uint8Array) return { type: 'chart', text: caption, picture: true }
  return { type: 'chart', text: `${caption} The model gets it as rows. ${picture.reason}`, picture: false }
}

export function pictureOf(chart: PromptChart | null): Buffer | null {
  return chart !== null && 'picture' in chart && chart.picture instanceof Uint8Array ? chart.picture : null
}

/** Statuses with which providers refuse a question that their model cannot read. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 404, 413, 415, 422])

/** Whether a provider may have refused a question because of a picture in it. */
export function mayRefusePictures(error: unknown): error is ProviderFailure {
  if (!(error instanceof ProviderFailure) || error.status === undefined) return false
  return refusals.has(error.status) || /image|picture|vision|multi-?modal/i.test(error.message)
}
