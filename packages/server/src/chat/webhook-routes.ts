import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { App, Routes } from '../http/types.ts'
import { type WebhookReceiver, webhookPath } from './open.ts'
import type { Update } from './telegram.ts'

/**
 * Where Telegram posts updates, with the header `X-Telegram-Bot-Api-Secret-Token`:
 * https://core.telegram.org/bots/api#setwebhook. It posts again after any answer other than 2xx.
 */
export function telegramWebhookRoutes(receiver: () => WebhookReceiver | undefined): Routes {
  return (scope) => receiveUpdates(scope, receiver)
}

function receiveUpdates(scope: App, receiver: () => WebhookReceiver | undefined): void {
  scope.post(webhookPath, { schema: { hide: true } }, async (request, reply) => {
    const to = receiver()
    if (to === undefined || !isFromTelegram(request, to.secret))
      throw new AppError('resource_not_found', 'Not found.')
    const update = request.body as Update | undefined
    if (!Number.isSafeInteger(update?.update_id))
      throw new AppError('request_malformed', 'This is no update.')
    const isTaken = await to.take(update!)
    return reply.code(isTaken ? 200 : 503).send({})
  })
}

function isFromTelegram({ headers }: FastifyRequest, secret: string): boolean {
  const given = Buffer.from(String(headers['x-telegram-bot-api-secret-token'] ?? ''))
  const expected = Buffer.from(secret)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
