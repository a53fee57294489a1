import type { Message } from './answer.ts'
import { type PromptHost, type PromptValues, writePrompt } from './prompt.ts'
import { describeChart, mostTokensOf, type PromptChart, sizeOf, viewOf, withChart } from './prompt-chart.ts'
import type { Template } from './template.ts'
import { limitsFor } from './think.ts'
import { describeTools, type Policy } from './tools.ts'
import { newBoundary } from './untrusted.ts'

export type PreviewInput = {
  template: Template
  values: PromptValues
  drawChart: (() => Promise<PromptChart>) | null
  host: PromptHost
  policy: Policy
  signal: AbortSignal
}

/**
 * `estimated`: about how many tokens the first question has. `reserved`: what the budget must have left for it and its
 * answer.
 */
export type Preview = {
  messages: Message[]
  /** What the chart shows, or why there is none. */
  chart: string | null
  tools: string[]
  tokens: { estimated: number; reserved: number }
}

/** Of text in English and JSON. */
const bytesPerToken = 4
/** Of a chart, at most providers. */
const usualPictureTokens = 700

/** The first question to a model, which is not asked. */
export async function previewOf({
  template,
  values,
  drawChart,
  host,
  policy,
  signal,
}: PreviewInput): Promise<Preview> {
  const boundary = newBoundary()
  const [prompt, chart] = await Promise.all([
    writePrompt(template, values, { host, boundary, signal }),
    drawChart === null ? null : drawChart(),
  ])
  const messages = withChart(prompt, chart, { view: viewOf(chart), boundary })
  const tools = describeTools(policy)
  const { bytes, pictures } = sizeOf(messages, tools)
  return {
    messages,
    chart: chart && describeChart(chart).text,
    tools: tools.map(({ name }) => name),
    tokens: {
      estimated: Math.ceil(bytes / bytesPerToken) + pictures * usualPictureTokens,
      reserved: mostTokensOf(messages, tools) + limitsFor(policy).maxOutputTokens,
    },
  }
}
