import { type Static, type TSchema, Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { deliveryExample, runExample, signalDeliveryExample } from './examples.ts'
import { mostReasons, outcomeOfDelivery, outcomeOfRun, outcomeOfSignalDelivery } from './outcome.ts'
import type { RunRow } from './rows.ts'
import { mostSteps, stepKinds } from './timeline.ts'
import { mostRuns, type Traces } from './traces.ts'

const kinds = Object.entries(stepKinds).map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)

const OptionalId = Type.Optional(Type.Integer())

const StepRecord = Type.Object({
  at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When it happened, by the clock of the machine that noted it. null if nobody noted it.',
    }),
  ),
  offset_ms: Nullable(
    Type.Number({
      description:
        'The time since the first step, in ms. It never goes back, although the clocks of nodes, the database and exchanges differ.',
    }),
  ),
  run_ms: Nullable(
    Type.Number({ description: 'For a step within a run: the time since the run started, in ms.' }),
  ),
  took_ms: Nullable(Type.Number({ description: 'How long it took or waited, in ms.' })),
  kind: Type.String({ description: `${kinds.join('; ')}.` }),
  text: Type.String({ description: 'A sentence, the line of a log, or a call. It may contain any text.' }),
  reason: Nullable(Type.String({ description: 'Why something did not happen, or not as wanted.' })),
  is_usual: Type.Boolean({
    description:
      '`false` if the reason deserves a look: something failed, was refused or waits for somebody. `true` without a reason, and for a usual one, such as a run that sent no action.',
  }),
  delivery_id: OptionalId,
  run_id: OptionalId,
  strategy_id: OptionalId,
  approval_id: OptionalId,
  signal_id: OptionalId,
  bot_id: OptionalId,
  bot_signal_id: OptionalId,
  order_id: OptionalId,
  fill_id: OptionalId,
})

const Steps = Type.Array(StepRecord, {
  description: `Everything that happened, at most ${mostSteps} steps. A step comes after its cause; otherwise the times decide.`,
})

const outcome = (statuses: string) =>
  Type.Object({
    status: Type.String({ description: statuses }),
    text: Type.String(),
    reasons: Type.Array(Type.String(), {
      description: `What did not happen, and why: the reasons of the steps, at most ${mostReasons}.`,
    }),
    is_usual: Type.Boolean({ description: 'Whether all steps are usual: nothing deserves a look.' }),
  })

const TracedRun = Type.Object({
  id: Type.Integer(),
  strategy_id: Type.Integer(),
  strategy_name: Type.String(),
  strategy_type: Type.String({ description: 'code-strategy, code-reaction, llm-reaction or llm-session.' }),
  version: Nullable(
    Type.Integer({
      description: 'The version of the strategy that the run executed. null if it never started.',
    }),
  ),
  trigger: Type.String({ description: 'schedule, tick, manual, webhook or replay.' }),
  status: Type.String(),
  delivery_id: Nullable(Type.Integer()),
  signal_id: Nullable(Type.Integer()),
  approval_id: Nullable(Type.Integer()),
})

const TracedDelivery = Type.Object({
  id: Type.Integer(),
  webhook_id: Type.Integer(),
  received_at: Timestamp,
  reactions: Type.Integer({
    description: 'How many reactions it triggered, including those of other users.',
  }),
  runs: Type.Array(TracedRun, { description: `The runs of your own reactions, at most ${mostRuns}.` }),
})

const RunTraceRecord = Type.Object(
  { run: TracedRun, steps: Steps, outcome: outcome('The status of the run.') },
  { examples: [runExample] },
)

const DeliveryTraceRecord = Type.Object(
  {
    delivery: TracedDelivery,
    steps: Steps,
    outcome: outcome(
      'IGNORED: none of your reactions ran. OPEN: a run, or a bot with its signal, has not ended. DONE: all have.',
    ),
  },
  { examples: [deliveryExample] },
)

const SignalDeliveryTraceRecord = Type.Object(
  {
    delivery: Type.Object({
      id: Type.Integer({ description: 'The id of the delivery, which is that of its signal too.' }),
      webhook_id: Type.Integer(),
      received_at: Timestamp,
      bots: Type.Integer({ description: 'How many bots took the signal, including those of other users.' }),
    }),
    steps: Steps,
    outcome: outcome('IGNORED: no bot took the signal. OPEN: a bot of yours has not ended. DONE: all have.'),
  },
  { examples: [signalDeliveryExample] },
)

const SignalDeliveryParameters = Type.Object({ id: Id, delivery_id: Id })

/** Routes that show everything that happened in a run, or because of a payload. */
export function traceRoutes(traces: Traces): Routes {
  return (scope) => {
    traceRoute(scope, '/run', {
      tags: ['Runs'],
      summary: 'Show everything that happened in a run, step by step',
      description:
        'From its cause to the fills of your bots: when each step happened, how long it took, and the reason for what did not happen. Bots of other users are not in it.',
      item: RunTraceRecord,
      get: async (userId, id) => {
        const trace = await traces.ofRun(userId, id)
        return { run: presentRun(trace.row), steps: trace.timeline.shown(), outcome: outcomeOfRun(trace) }
      },
    })
    traceRoute(scope, '/delivery', {
      tags: ['Data webhooks'],
      summary: 'Show everything that happened because of a payload, step by step',
      description:
        'Like the trace of a run, for all runs of your own reactions. It also says why a reaction of yours did not run. Only the owner of the webhook may read it.',
      item: DeliveryTraceRecord,
      get: async (userId, id) => {
        const trace = await traces.ofDelivery(userId, id)
        const { delivery, runs, timeline } = trace
        return {
          delivery: {
            id: delivery.id,
            webhook_id: delivery.webhookId,
            received_at: delivery.receivedAt.toISOString(),
            reactions: delivery.reactions,
            runs: runs.map(presentRun),
          },
          steps: timeline.shown(),
          outcome: outcomeOfDelivery(trace),
        }
      },
    })
    signalDeliveryRoute(scope, traces)
  }
}

function signalDeliveryRoute(scope: App, traces: Traces): void {
  scope.get(
    '/webhook/bot/:id/deliveries/:delivery_id/trace',
    {
      schema: {
        tags: ['Bot webhooks'],
        summary: 'Show everything that happened because of a post to a bot webhook, step by step',
        description:
          'From its arrival to the fills of your bots, with the reason for what did not happen. Bots of other users are not in it. Only the owner of the webhook may read it.',
        security: signedRequest,
        params: SignalDeliveryParameters,
        response: { 200: SignalDeliveryTraceRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => {
      const trace = await traces.ofSignalDelivery(principal.userId, params.id, params.delivery_id)
      const { id, webhookId, receivedAt, bots } = trace.delivery
      return {
        delivery: { id, webhook_id: webhookId, received_at: receivedAt.toISOString(), bots },
        steps: trace.timeline.shown(),
        outcome: outcomeOfSignalDelivery(trace),
      }
    },
  )
}

type Traced<Item extends TSchema> = {
  tags: string[]
  summary: string
  description: string
  item: Item
  get(userId: number, id: number): Promise<Static<Item>>
}

function traceRoute<Item extends TSchema>(
  scope: App,
  path: string,
  { item, get, ...described }: Traced<Item>,
): void {
  scope.get(
    `${path}/:id/trace`,
    {
      schema: {
        ...described,
        security: signedRequest,
        params: IdParameter,
        response: { 200: item, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => (await get(principal.userId, params.id)) as never,
  )
}

function presentRun({ run, strategy, signal, approval }: RunRow): Static<typeof TracedRun> {
  return {
    id: run.id,
    strategy_id: run.strategyId,
    strategy_name: strategy.name,
    strategy_type: strategy.type,
    version: run.version,
    trigger: run.trigger,
    status: run.status,
    delivery_id: run.deliveryId,
    signal_id: signal?.id ?? null,
    approval_id: approval?.id ?? null,
  }
}
