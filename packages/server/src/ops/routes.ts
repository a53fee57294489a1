import { Type } from 'typebox'
import type { Routes } from '../http/types.ts'
import type { PartHealth } from './health.ts'
import type { Metrics } from './metrics.ts'

export type OpsParts = {
  metrics: Metrics
  /** Asks each part, by its name. */
  health(): Promise<Record<string, PartHealth>>
}

const Health = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
  parts: Type.Record(Type.String(), Type.Object({ ready: Type.Boolean() }, { additionalProperties: true })),
})

const tags = ['Operations']

export function opsRoutes({ metrics, health }: OpsParts): Routes {
  return (scope) => {
    scope.get(
      '/health/live',
      {
        schema: {
          tags,
          summary: 'Whether the process runs',
          response: { 200: Type.Object({ status: Type.Literal('live') }) },
        },
      },
      async () => ({ status: 'live' as const }),
    )

    scope.get(
      '/health/ready',
      {
        schema: {
          tags,
          summary: 'Whether the service can do its work, part by part',
          response: { 200: Health, 503: Health },
        },
      },
      async (_request, reply) => {
        const parts = await health()
        const ready = Object.values(parts).every((part) => part.ready)
        return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', parts })
      },
    )

    scope.get('/metrics', { schema: { tags, summary: 'Figures for Prometheus' } }, async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    )
  }
}
