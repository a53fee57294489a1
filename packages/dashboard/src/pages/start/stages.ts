/** Turns the trace of a payload into the five stages on its way to a fill. */

import type { client } from '../../data/client.ts'

export type DeliveryTrace = Awaited<ReturnType<typeof client.deliveries.trace>>
type Step = DeliveryTrace['steps'][number]

export type StageName = 'delivery' | 'run' | 'signal' | 'order' | 'fill'

export type Stage = {
  name: StageName
  title: string
  /** `waiting`: it may still come. `missing`: it will not. */
  state: 'done' | 'waiting' | 'missing'
  text: string
  /** Since the service received the payload. */
  afterMs: number | null
  /** Why it did not happen, or not as wanted. */
  reason: string | null
  /** The record that it is about. */
  id: number | null
  botId: number | null
}

type Kind = {
  name: StageName
  title: string
  /** The steps that mean that it has happened, the best first. */
  kinds: readonly string[]
  idOf: (step: Step) => number | undefined
  waits: string
  missing: string
}

const stageKinds: readonly Kind[] = [
  {
    name: 'delivery',
    title: 'Delivery',
    kinds: ['stored', 'received'],
    idOf: (step) => step.delivery_id,
    waits: 'The service stores the payload.',
    missing: 'The payload was not stored.',
  },
  {
    name: 'run',
    title: 'Run',
    kinds: ['started'],
    idOf: (step) => step.run_id,
    waits: 'The reaction runs with the payload.',
    missing: 'The reaction did not run.',
  },
  {
    name: 'signal',
    title: 'Signal',
    kinds: ['signal'],
    idOf: (step) => step.signal_id,
    waits: 'The code decides. Its action becomes a signal.',
    missing: 'The code sent no action.',
  },
  {
    name: 'order',
    title: 'Order',
    kinds: ['sent', 'order'],
    idOf: (step) => step.order_id,
    waits: 'The bot follows the signal with an order.',
    missing: 'The bot ordered nothing.',
  },
  {
    name: 'fill',
    title: 'Fill',
    kinds: ['fill'],
    idOf: (step) => step.fill_id,
    waits: 'The order is executed at the price of the market.',
    missing: 'Nothing was executed.',
  },
]

/** How long the payload took to its first fill, in ms; `null` if there is none. */
export function timeToFill(trace: DeliveryTrace | undefined): number | null {
  return stagesOf(trace).at(-1)!.afterMs
}

/** The stages as far as they are known; without a trace, all of them wait. */
export function stagesOf(trace: DeliveryTrace | undefined): Stage[] {
  const isOver = trace !== undefined && trace.outcome.status !== 'OPEN'
  let isFirstMissing = true
  return stageKinds.map((kind) => {
    const step = trace && firstOf(trace.steps, kind.kinds)
    if (step !== undefined) return doneStage(kind, step, botOf(trace!.steps))
    const reason = isOver && isFirstMissing ? reasonOf(trace) : null
    if (isOver) isFirstMissing = false
    return {
      name: kind.name,
      title: kind.title,
      state: isOver ? 'missing' : 'waiting',
      text: isOver ? kind.missing : kind.waits,
      afterMs: null,
      reason,
      id: null,
      botId: null,
    }
  })
}

/** @param botId the bot that got the signal, whose page shows it */
function doneStage({ name, title, idOf }: Kind, step: Step, botId: number | null): Stage {
  return {
    name,
    title,
    state: 'done',
    text: step.text,
    afterMs: step.offset_ms,
    reason: step.reason,
    id: idOf(step) ?? null,
    botId: step.bot_id ?? botId,
  }
}

function botOf(steps: readonly Step[]): number | null {
  return steps.find((step) => step.bot_id !== undefined)?.bot_id ?? null
}

function firstOf(steps: readonly Step[], kinds: readonly string[]): Step | undefined {
  for (const kind of kinds) {
    const step = steps.find((step) => step.kind === kind)
    if (step !== undefined) return step
  }
  return undefined
}

/** The first thing that stops has no step. Its reasons are those of the whole. */
function reasonOf({ outcome }: DeliveryTrace): string {
  return outcome.reasons.length > 0 ? outcome.reasons.join(' ') : outcome.text
}
