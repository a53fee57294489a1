import { Type } from 'typebox'
import { omit, pageFrom, pageLimit, type ToolResult } from './results.ts'
import { Id, kinds, oneOf, paging, readingTool } from './tool.ts'

const input = { id: Id, ...paging }

const traceRun = readingTool({
  name: 'trace_run',
  description:
    'Show what happened in a run, from its cause to the fills. outcome.reasons: why something did not.',
  input,
  run: async ({ id, ...page }, { api }) => {
    const { steps, ...beside } = await api('GET /api/v2/run/{id}/trace', id)
    return shown(steps, page, beside)
  },
})

const traceDelivery = readingTool({
  name: 'trace_delivery',
  description: 'Like trace_run, for a delivery of any webhook.',
  input: { ...input, bot_webhook_id: Type.Optional(Id) },
  run: async ({ id, bot_webhook_id, ...page }, { api }) => {
    const { steps, ...beside } =
      bot_webhook_id === undefined
        ? await api('GET /api/v2/delivery/{id}/trace', id)
        : await api('GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}/trace', bot_webhook_id, id)
    return shown(steps, page, beside)
  },
})

const traceSchedule = readingTool({
  name: 'trace_schedule',
  description: 'Show which times of a schedule queued a run, and why others did not.',
  input: {
    kind: Type.Optional(oneOf(['strategy', 'ai_session'])),
    strategy_id: Id,
    until: Type.Optional(Type.String({ maxLength: 64 })),
    count: Type.Optional(Type.Integer()),
  },
  run: async ({ kind = 'strategy', strategy_id, ...query }, { api }) => ({
    value: await api(`GET ${kinds[kind].path}/{id}/schedule/trace?{query}`, strategy_id, query),
  }),
})

/** The first page has the run or the delivery too. */
function shown(
  steps: readonly object[],
  { page = 1, limit = pageLimit }: { page?: number; limit?: number },
  beside: object,
): ToolResult {
  const result = pageFrom(
    steps.map((step) => omit(step)),
    { page, limit },
  )
  if (page > 1 || !('value' in result)) return result
  return { value: { ...beside, ...(result.value as object) } }
}

export const traceTools = [traceRun, traceDelivery, traceSchedule]
