import { Type } from 'typebox'
import type { Routes } from '../http/types.ts'
import { takeOutKey } from './body-key.ts'
import type { DataWebhooks } from './data-webhooks.ts'
import type { Ingestion } from './ingestion.ts'
import { type IntakeLimits, receivingRoute, urlIdOf } from './ingestion-routes.ts'
import { addressOf, keptHeaders } from './sender-facts.ts'

type PostPayloadParts = IntakeLimits & { webhooks: DataWebhooks; ingestion: Ingestion }

/** `POST /data-webhook/{id}`: payloads for reactions. */
export function postPayloadRoutes({ webhooks, ingestion, ...limits }: PostPayloadParts): Routes {
  return receivingRoute({
    ...limits,
    webhooks,
    path: '/data-webhook',
    words: {
      summary: 'Post a payload',
      description:
        'Any JSON object. 202 means that it is stored durably and that a run is queued for each active reaction.',
      repeat: 'A repeat within 24 hours gets the first answer and is not forwarded again.',
    },
    fields: { reactions: Type.Integer({ description: 'How many reactions will run.' }) },
    read: (object, request) => ({
      ...object,
      headers: keptHeaders(request.headers, urlIdOf(request)),
      ip: addressOf(request),
    }),
    take: ({ text, parsed, headers, ip }, incoming, { keyFrom }) =>
      ingestion.take({
        ...incoming,
        body: keyFrom === 'header_or_body' && 'key' in parsed ? takeOutKey(text) : text,
        headers,
        ip,
      }),
    answer: ({ reactions }) => ({ reactions }),
  })
}
