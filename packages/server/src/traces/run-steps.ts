import type { StrategyType } from '../db/schema.ts'
import { type AddSignal, addCodeSteps, type Work } from './code-steps.ts'
import type { ApprovalRow, ChangeRow, DeliveryRow, RunRow, SignalDeliveryRow, SignalRow } from './rows.ts'
import { between, type Step, type StepIds, type Timeline } from './timeline.ts'
import { addTranscriptSteps } from './transcript-steps.ts'

/** Adds the arrival of a payload. */
export function addDelivery(timeline: Timeline, { id, receivedAt, storedAt }: DeliveryRow): Step {
  const ids = { delivery_id: id }
  const text = 'The data webhook received the payload.'
  const received = timeline.add({ kind: 'received', text, at: receivedAt.getTime(), ids })
  return addStored(
    timeline,
    { receivedAt, storedAt },
    'The service stored the payload and its runs.',
    received,
  )
}

/**
 * Adds the arrival of a post to a bot webhook.
 * @returns the step of its signal
 */
export function addSignalDelivery(timeline: Timeline, delivery: SignalDeliveryRow): Step {
  const { id, receivedAt, signal } = delivery
  const ids = { delivery_id: id }
  const text = 'The bot webhook received the post.'
  const received = timeline.add({ kind: 'received', text, at: receivedAt.getTime(), ids })
  const stored = addStored(
    timeline,
    delivery,
    'The service stored the post, its signal and what bots get.',
    received,
  )
  return addSignal(timeline, signal, ids, stored)
}

type Arrival = Pick<DeliveryRow, 'receivedAt' | 'storedAt'>

/** @returns the last step of the arrival: nobody noted when the oldest payloads were stored */
function addStored(
  timeline: Timeline,
  { receivedAt, storedAt }: Arrival,
  text: string,
  received: Step,
): Step {
  if (storedAt === null) return received
  const took = { at: storedAt.getTime(), tookMs: between(receivedAt, storedAt) }
  return timeline.add({ kind: 'stored', text, ...took, ids: received.ids }, received)
}

/**
 * Adds a run: from the moment at which it was queued to its end, with its action.
 * @param row with the changes of strategies that its model made or asked for
 * @param nowMs decides whether an approval has expired
 * @returns the step of its signal; `undefined` if it has none
 */
export function addRun(
  timeline: Timeline,
  { changes, ...row }: RunRow & { changes: readonly ChangeRow[] },
  nowMs: number,
  cause?: Step,
): Step | undefined {
  const { run } = row
  const ids = { run_id: run.id, strategy_id: run.strategyId }
  const queued = timeline.add(
    { kind: 'queued', text: queuedText(row), at: run.queuedAt.getTime(), ids },
    addDue(timeline, row) ?? cause,
  )
  // A payload queues its run when it arrives. Until both are stored, the run waits for the database and not for its turn.
  const endOfWait = run.startedAt ?? run.finishedAt
  if (endOfWait !== null) queued.tookMs = endOfWait.getTime() - queued.place
  const { signal, approval } = row
  const sendAction: AddSignal = (from, latest) => {
    const decided = approval === null ? undefined : addApproval(timeline, row, approval, nowMs, from)
    // The signal of an approved action comes after the decision, which may be long after the run.
    if (signal === null) return decided
    return addSignal(timeline, signal, ids, decided ?? from, decided === undefined ? latest : undefined)
  }
  const work = addWork(timeline, row, queued, sendAction)
  const sent = work.signal ?? sendAction(work.latest)
  for (const change of changes) addChange(timeline, change, nowMs, queued)
  addEnd(timeline, row, work.latest)
  return signal === null ? undefined : sent
}

function addWork(timeline: Timeline, row: RunRow, queued: Step, addSignal: AddSignal): Work {
  const { startedAt, version, steps } = row.run
  if (startedAt === null) return { latest: queued, signal: undefined }
  const of = version === null ? '' : ` version ${version} of`
  const started = timeline.add(
    {
      kind: 'started',
      text: `The run of${of} the ${kindOf(row)} started.`,
      at: startedAt.getTime(),
      runMs: 0,
      tookMs: steps?.waitedMs ?? null,
      ids: queued.ids,
    },
    queued,
  )
  return row.transcript === null
    ? addCodeSteps(timeline, row.run, started, addSignal)
    : addTranscriptSteps(timeline, row.transcript, started, addSignal)
}

function addDue(timeline: Timeline, { run }: RunRow): Step | undefined {
  if (run.dueAt === null) return undefined
  const ids = { run_id: run.id, strategy_id: run.strategyId }
  const took = between(run.dueAt, run.queuedAt)
  return timeline.add({
    ...{ kind: 'due', text: 'The schedule was due.', at: run.dueAt.getTime(), tookMs: took, ids },
  })
}

function queuedText({ run }: RunRow): string {
  switch (run.trigger) {
    case 'schedule':
      return 'The schedule queued the run.'
    case 'tick':
      return 'A price queued the run.'
    case 'manual':
      return 'Its owner triggered the run.'
    case 'replay':
      return 'A replay of the delivery queued the run.'
    case 'webhook':
      return 'The payload queued the run.'
  }
}

/** @returns the decision, or the request as long as nobody has decided */
function addApproval(
  timeline: Timeline,
  { run }: RunRow,
  approval: ApprovalRow,
  nowMs: number,
  cause: Step,
): Step {
  const ids = { approval_id: approval.id, run_id: run.id, strategy_id: run.strategyId }
  const text = `${actionText(approval)} waits for the approval of the owner.`
  return addDecision(timeline, { text, ids }, decisionOn(approval, nowMs, actionWords), cause)
}

/** A change that was made at once is one step; any other waits for its owner. */
function addChange(timeline: Timeline, change: ChangeRow, nowMs: number, cause: Step): void {
  const { id, status, turned, targetId, targetName } = change
  const ids = { approval_id: id, strategy_id: targetId }
  const target = `strategy ${targetId}, “${targetName}”`
  if (status === 'NOT_NEEDED') {
    const did = turned === null ? 'replaced the code of' : `switched ${turned === 'ACTIVE' ? 'on' : 'off'}`
    timeline.add(
      { kind: 'change', text: `The model ${did} ${target}.`, at: change.createdAt.getTime(), ids },
      cause,
    )
    return
  }
  const what = turned === null ? 'New code' : `The status ${turned}`
  const text = `${what} for ${target}, waits for the approval of the owner.`
  addDecision(timeline, { text, ids }, decisionOn(change, nowMs, changeWords), cause)
}

type Words = { one: string; done: string; newer: string }
const actionWords = { one: 'action', done: 'sent', newer: 'A newer action of the strategy' }
const changeWords = { one: 'change', done: 'made', newer: 'A newer change of that strategy' }

function addDecision(
  timeline: Timeline,
  { text, ids }: { text: string; ids: StepIds },
  decision: ReturnType<typeof decisionOn>,
  cause: Step,
): Step {
  const { status, askedAt, at, reason } = decision
  const asked = timeline.add(
    {
      kind: 'approval',
      text,
      at: askedAt.getTime(),
      tookMs: at === null ? null : at.getTime() - askedAt.getTime(),
      reason: status === 'PENDING' ? reason : null,
      ids,
    },
    cause,
  )
  if (status === 'PENDING') return asked
  return timeline.add(
    { kind: 'decision', text: decision.text, at: at?.getTime() ?? null, reason, ids },
    asked,
  )
}

type Decided = Pick<ApprovalRow, 'status' | 'createdAt' | 'expiresAt' | 'decidedAt'>

/** A row that is stored as pending counts as expired once its time is over. */
function decisionOn(
  { status: stored, createdAt: askedAt, expiresAt, decidedAt }: Decided,
  nowMs: number,
  words: Words,
) {
  const { one, done, newer } = words
  const status = stored === 'PENDING' && expiresAt.getTime() <= nowMs ? 'EXPIRED' : stored
  const prevented = (at: Date | null, text: string) => ({
    ...{ status, askedAt, at, text, reason: `${text} So it was not ${done}.` },
  })
  switch (status) {
    case 'PENDING': {
      const reason = `The ${one} is not ${done} before its owner approves it, which is possible until ${expiresAt.toISOString()}.`
      return { status, askedAt, at: null, text: '', reason }
    }
    case 'APPROVED':
      return { status, askedAt, at: decidedAt, text: `The owner approved the ${one}.`, reason: null }
    case 'REJECTED':
      return prevented(decidedAt, `The owner rejected the ${one}.`)
    case 'EXPIRED':
      return prevented(expiresAt, 'The approval expired before anyone decided.')
    case 'NOT_NEEDED':
    case 'SUPERSEDED':
      return prevented(decidedAt, `${newer} replaced this one.`)
  }
}

/** @param ids of what the signal came from */
function addSignal(timeline: Timeline, signal: SignalRow, ids: StepIds, cause: Step, latest?: number): Step {
  const price = signal.price === null ? '' : ` at the price ${signal.price}`
  return timeline.add(
    {
      kind: 'signal',
      text: `The service stored the signal ${actionText(signal)}${price}.`,
      at: signal.createdAt.getTime(),
      reason: signal.reason,
      ids: { signal_id: signal.id, ...ids },
    },
    cause,
    latest,
  )
}

/** A signal may have a hundred symbols. */
const mostSymbols = 5

function actionText({ action, symbols }: Pick<SignalRow | ApprovalRow, 'action' | 'symbols'>): string {
  if (symbols.length === 0) return `${action} without a symbol`
  const shown = symbols.slice(0, mostSymbols).join(', ')
  const more = symbols.length - mostSymbols
  return `${action} for ${shown}${more > 0 ? ` and ${more} more` : ''}`
}

function addEnd(timeline: Timeline, row: RunRow, latest: Step): void {
  const { run } = row
  if (run.finishedAt === null) return
  const ended = timeline.add(
    {
      kind: run.status === 'SKIPPED' ? 'missing' : 'ended',
      text: endText(row),
      at: run.finishedAt.getTime(),
      runMs: between(run.startedAt, run.finishedAt),
      tookMs: run.durationMs,
      reason: reasonOf(row),
      // A strategy that looks and does nothing is what most runs are.
      ...(run.status === 'SUCCEEDED' && { isUsual: true }),
      ids: { run_id: run.id, strategy_id: run.strategyId },
    },
    latest,
  )
  if (row.suspendedUntil === null) return
  const until = row.suspendedUntil.toISOString()
  const text = `The strategy was suspended until ${until}.`
  timeline.add({ kind: 'suspended', text, at: run.finishedAt.getTime(), ids: ended.ids }, ended)
}

/** A sentence about where a run is, or how it ended. */
export function endText({ run }: RunRow): string {
  switch (run.status) {
    case 'QUEUED':
      return 'The run waits for its turn.'
    case 'RUNNING':
      return 'The run is in progress.'
    case 'SUCCEEDED':
      return 'The run succeeded.'
    case 'FAILED':
      return 'The run failed.'
    case 'VIOLATION':
      return 'The run broke a rule.'
    case 'SKIPPED':
      return 'The service skipped the run.'
  }
}

function reasonOf({ run, signal, approval }: RunRow): string | null {
  const { violation, error, status } = run
  if (violation !== null) {
    const { rule, limit, actual } = violation
    const why = `It broke the rule ${rule}: the limit is ${limit}, and it reached ${actual}.`
    return error === null ? why : `${why} ${error.message}`
  }
  if (error !== null) return status === 'SKIPPED' ? error.message : `${error.name}: ${error.message}`
  if (status !== 'SUCCEEDED' || signal !== null || approval !== null) return null
  return 'The run sent no action, so there is no signal for bots.'
}

const kinds = {
  ...{ 'code-strategy': 'strategy', 'code-reaction': 'reaction' },
  ...{ 'llm-reaction': 'reaction', 'llm-session': 'session' },
} as const satisfies Record<StrategyType, string>

function kindOf({ strategy }: RunRow): string {
  return kinds[strategy.type]
}
