import { Type } from 'typebox'
import type { App, Routes } from '../http/types.ts'
import { isReady, type PartHealth } from './health.ts'
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

/** Routes for monitoring. They need no authentication. */
export function opsRoutes(parts: OpsParts): Routes {
  return (scope) => {
    readLiveness(scope)
    readReadiness(scope, parts)
    readMetrics(scope, parts)
  }
}

function readLiveness(scope: App): void {
  scope.get(
    '/health/live',
    {
      schema: {
        tags,
        summary: 'Check whether the process runs',
        description: 'Looks at nothing else: use it to decide whether to restart the process.',
        response: { 200: Type.Object({ status: Type.Literal('live') }) },
      },
    },
    async () => ({ status: 'live' as const }),
  )
}

function readReadiness(scope: App, { health }: OpsParts): void {
  scope.get(
    '/health/ready',
    {
      schema: {
        tags,
        summary: 'Check whether the service can do its work, part by part',
        description: 'Answers 503 if a part is not ready: use it to decide whether to send requests here.',
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const parts = await health()
      const ready = isReady(parts)
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', parts })
    },
  )
}

function readMetrics(scope: App, { metrics }: OpsParts): void {
  scope.get(
    '/metrics',
    {
      schema: {
        tags,
        summary: 'Read the metrics of this process, for Prometheus',
        description: 'In the text format of Prometheus. docs/operations.md lists them.',
      },
    },
    async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}
