import { and, eq } from 'drizzle-orm'
import { parseTemplate } from '../ai/template.ts'
import { AppError, invalidField } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { aiConnections, llmReactions } from '../db/schema.ts'
import type { LlmSettings } from './strategy.ts'

/** What a new reaction has where its owner has decided nothing. */
const defaults = {
  prompt: '',
  connectionId: null,
  actions: ['LONG', 'SHORT', 'EXIT'],
  maxSize: null,
  tokensPerDay: 500_000,
  actionsPerDay: 100,
  needsApproval: false,
  approvalMinutes: 15,
} as const satisfies Required<Omit<LlmSettings, 'actions'>> & { actions: readonly string[] }

/**
 * Whether a prompt may be saved.
 * @throws {AppError} 400 with all that is wrong with it, each with line and column
 */
export function checkPrompt(prompt: string): void {
  const { problems } = parseTemplate(prompt)
  if (problems === undefined) return
  const [{ message, line, column }] = problems as [(typeof problems)[number]]
  throw new AppError('request_invalid', `The prompt: ${message} (line ${line}, column ${column}).`, {
    details: problems.map((problem) => ({ field: 'body.prompt', ...problem })),
  })
}

/**
 * Holds the AI connection that a reaction is to ask in place until it does.
 * @throws {AppError} 400 when it is none of this user's
 */
export async function holdAiConnection(tx: Db, userId: number, { connectionId }: LlmSettings): Promise<void> {
  if (typeof connectionId !== 'number') return
  const [held] = await tx
    .select({ id: aiConnections.id })
    .from(aiConnections)
    .where(and(eq(aiConnections.id, connectionId), eq(aiConnections.userId, userId)))
    .for('key share')
  if (held === undefined) {
    throw invalidField('connection_id', `names no AI connection of yours: ${connectionId}`)
  }
}

export async function addLlmSettings(tx: Db, strategyId: number, wish: LlmSettings): Promise<void> {
  const { actions } = defaults
  await tx.insert(llmReactions).values({ ...defaults, actions: [...actions], ...wish, strategyId })
}

export async function changeLlmSettings(tx: Db, strategyId: number, wish: LlmSettings): Promise<void> {
  if (Object.keys(wish).length === 0) return
  await tx.update(llmReactions).set(wish).where(eq(llmReactions.strategyId, strategyId))
}

/** What a copy takes over; that of another user's reaction knows no connection. */
export async function copyLlmSettings(tx: Db, from: number, to: number, isOwn: boolean): Promise<void> {
  const [original] = await tx.select().from(llmReactions).where(eq(llmReactions.strategyId, from))
  const { strategyId: _id, response: _response, connectionId, ...decided } = original!
  await addLlmSettings(tx, to, { ...decided, connectionId: isOwn ? connectionId : null })
}

export async function forgetResponse(tx: Db, strategyId: number): Promise<void> {
  await tx.update(llmReactions).set({ response: null }).where(eq(llmReactions.strategyId, strategyId))
}

/**
 * Whether there is somebody to ask, and something.
 * @param where the fields are in the request, such as `body.`; nowhere by default
 * @throws {AppError} 400 naming what is missing
 */
export async function demandQuestion(tx: Db, strategyId: number, where = ''): Promise<void> {
  const [row] = await tx.select().from(llmReactions).where(eq(llmReactions.strategyId, strategyId))
  const missing = []
  if (row?.connectionId == null) missing.push('connection_id')
  if (row === undefined || row.prompt.trim() === '') missing.push('prompt')
  if (missing.length === 0) return
  throw new AppError('request_invalid', `An AI reaction needs ${missing.join(' and ')} while it is ACTIVE.`, {
    details: missing.map((name) => ({
      field: `${where}${name}`,
      message: 'is needed: a model is to be asked',
    })),
  })
}
