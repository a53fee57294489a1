import { and, eq, getTableColumns, inArray } from 'drizzle-orm'
import { parseTemplate } from '../ai/template.ts'
import { usualTools } from '../ai/tools.ts'
import { AppError, invalidField } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { aiConnections, type LlmType, llmSettings, type StrategyType, strategies } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import { type ChartSettings, readChart } from '../market/chart/chart-settings.ts'
import type { ListedLlm, LlmSettings } from './strategy.ts'

/** The settings of a new AI strategy that its owner has not chosen. */
const defaults = {
  prompt: '',
  connectionId: null,
  fallbackId: null,
  actions: ['LONG', 'SHORT', 'EXIT'],
  maxSize: null,
  tools: usualTools,
  mayChange: [],
  changeNeedsApproval: true,
  tokensPerDay: 500_000,
  actionsPerDay: 100,
  needsApproval: false,
  approvalMinutes: 15,
  sendEmail: false,
  useChart: false,
  chartSymbol: null,
  chartInterval: '1h',
  chartStudies: [],
  chartRange: null,
} as const satisfies Required<Omit<LlmSettings, 'actions' | 'tools' | 'mayChange' | 'chartStudies'>> & {
  actions: readonly string[]
  tools: readonly string[]
  mayChange: readonly number[]
  chartStudies: readonly string[]
}

/**
 * Checks a prompt before it is saved.
 * @throws {AppError} 400 with the line and column of each problem
 */
export function checkPrompt(prompt: string, type: LlmType): void {
  const { problems } = parseTemplate(prompt, { hasPayload: type === 'llm-reaction' })
  if (problems === undefined) return
  const [{ message, line, column }] = problems as [(typeof problems)[number]]
  throw new AppError(
    'request_invalid',
    `The prompt cannot be used: ${message.replace(/\.$/, '')} (line ${line}, column ${column}).`,
    {
      details: problems.map((problem) => ({ field: 'body.prompt', ...problem })),
    },
  )
}

/**
 * Locks the AI connections that a strategy is about to use, so that nobody deletes them until the transaction ends.
 * @throws {AppError} 400 if the user has no such connection
 */
export async function holdAiConnections(
  tx: Db,
  userId: number,
  { connectionId, fallbackId }: LlmSettings,
): Promise<void> {
  await holdAiConnection(tx, userId, 'connection_id', connectionId)
  await holdAiConnection(tx, userId, 'fallback_id', fallbackId)
  if (typeof fallbackId === 'number' && fallbackId === connectionId) {
    throw invalidField('fallback_id', 'must be another AI connection than connection_id')
  }
}

async function holdAiConnection(
  tx: Db,
  userId: number,
  field: string,
  id: number | null | undefined,
): Promise<void> {
  if (typeof id !== 'number') return
  const [held] = await tx
    .select({ id: aiConnections.id })
    .from(aiConnections)
    .where(and(eq(aiConnections.id, id), eq(aiConnections.userId, userId)))
    .for('key share')
  if (held !== undefined) return
  throw invalidField(field, `must be the id of one of your AI connections; ${id} is not`)
}

export async function addLlmSettings(tx: Db, strategyId: number, settings: LlmSettings): Promise<void> {
  const { actions, tools, chartStudies } = defaults
  const lists = { actions: [...actions], tools: [...tools], mayChange: [], chartStudies: [...chartStudies] }
  const values = { ...defaults, ...lists, ...settings, strategyId }
  const [row] = await tx.insert(llmSettings).values(values).returning(chartColumns)
  checkChart(row!)
}

export async function changeLlmSettings(tx: Db, strategyId: number, settings: LlmSettings): Promise<void> {
  if (Object.keys(settings).length === 0) return
  const [row] = await tx
    .update(llmSettings)
    .set(settings)
    .where(eq(llmSettings.strategyId, strategyId))
    .returning(chartColumns)
  checkChart(row!)
}

type ChartColumns = Pick<ListedLlm, keyof typeof chartColumns>
const { useChart, chartSymbol, chartInterval, chartStudies, chartRange } = getTableColumns(llmSettings)
const chartColumns = { useChart, chartSymbol, chartInterval, chartStudies, chartRange }

/** @throws {AppError} 400 if the strategy uses a chart that these settings cannot draw */
function checkChart(settings: ChartColumns): void {
  if (settings.useChart) demandChart(chartOf(settings))
}

/** @throws {AppError} 400 if a chart with these settings cannot be drawn */
export function demandChart(settings: ChartSettings): void {
  const { problem } = readChart(settings)
  if (problem !== undefined) throw invalidField(problem.field, problem.message)
}

export function chartOf({
  chartSymbol,
  chartInterval,
  chartStudies,
  chartRange,
}: Omit<ChartColumns, 'useChart'>): ChartSettings {
  return { symbol: chartSymbol, interval: chartInterval, studies: chartStudies, range: chartRange }
}

/**
 * Checks that the strategies that a model may change are code of its owner. If one of them is deleted later, the model can
 * change one less.
 * @throws {AppError} 400
 */
export async function demandChangeable(
  tx: Db,
  userId: number,
  { mayChange = [] }: LlmSettings,
): Promise<void> {
  if (mayChange.length === 0) return
  const found = await tx
    .select({ id: strategies.id })
    .from(strategies)
    .where(
      and(
        inArray(strategies.id, mayChange),
        eq(strategies.userId, userId),
        inArray(strategies.type, ['code-strategy', 'code-reaction']),
      ),
    )
  const theirs = new Set(found.map(({ id }) => id))
  const wrong = mayChange.find((id) => !theirs.has(id))
  if (wrong === undefined) return
  throw invalidField(
    'may_change',
    `must have ids of your code strategies and code reactions; ${wrong} is not one`,
  )
}

/**
 * Copies the settings of an AI strategy. The copy of another user's strategy has no connections, and none of the tools
 * that each owner has to allow.
 */
export async function copyLlmSettings(tx: Db, from: number, to: number, isOwn: boolean): Promise<void> {
  const [original] = await tx.select().from(llmSettings).where(eq(llmSettings.strategyId, from))
  const { strategyId: _id, response: _response, ...copied } = original!
  const tools = copied.tools.filter((tool) => usualTools.includes(tool))
  const ofOther = { connectionId: null, fallbackId: null, tools, mayChange: [], changeNeedsApproval: true }
  await addLlmSettings(tx, to, isOwn ? copied : { ...copied, ...ofOther })
}

export async function forgetResponse(tx: Db, strategyId: number): Promise<void> {
  await tx.update(llmSettings).set({ response: null }).where(eq(llmSettings.strategyId, strategyId))
}

/**
 * Checks that an AI strategy has a model and a prompt.
 * @param where a prefix of the field names in the error, such as `body.`
 * @throws {AppError} 400, which names the missing fields
 */
export async function demandQuestion(
  tx: Db,
  { id, type }: { id: number; type: StrategyType },
  where = '',
): Promise<void> {
  const [row] = await tx.select().from(llmSettings).where(eq(llmSettings.strategyId, id))
  const missing = []
  if (row?.connectionId == null) missing.push('connection_id')
  if (row === undefined || row.prompt.trim() === '') missing.push('prompt')
  if (missing.length === 0) return
  throw new AppError('request_invalid', `An ACTIVE ${typeName(type)} needs ${missing.join(' and ')}.`, {
    details: missing.map((name) => ({
      field: `${where}${name}`,
      message: `is required while the ${typeName(type)} is ACTIVE`,
    })),
  })
}
