import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AuditLog } from '../accounts/audit-log.ts'
import type { Confirmations } from '../accounts/confirmations.ts'
import type { Principal } from '../base/principal.ts'
import type { TelegramConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type AskApi, createApi } from '../mcp/api.ts'
import type { Vault } from '../secrets/vault.ts'
import { Buttons } from './buttons.ts'
import { Chat } from './chat.ts'
import type { Mute } from './commands/command.ts'
import { ChatLinks, type LinkedPerson } from './links.ts'
import { Poller } from './poller.ts'
import { openTelegram, type Telegram, type Update } from './telegram.ts'
import { UpdateLog } from './update-log.ts'

export type ChatServiceParts = {
  config: { telegram: TelegramConfig | null; publicUrl: string }
  database: Database
  vault: Vault
  audit: AuditLog
  confirmations: Confirmations
  mute: Mute
  logger: Logger
}

/** Asks the routes of the API for a user. With a key, a change takes effect once. */
export type AskAs = (
  caller: { principal: Principal; ip: string },
  request: Parameters<AskApi>[0] & { idempotencyKey?: string },
) => ReturnType<AskApi>

/** Where Telegram posts updates, if it does. */
export const webhookPath = '/telegram/updates'

/** What a webhook needs; `take` resolves to `false` if another node handles the update at this moment. */
export type WebhookReceiver = { secret: string; take(update: Update): Promise<boolean> }

const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Nobody has asked over the network. */
const ownAddress = '127.0.0.1'

/** The bot of Telegram, if the service has one, with its routes. Only nodes that serve the API answer people. */
export class ChatService {
  #parts: ChatServiceParts
  #links: ChatLinks
  #username: string | null = null
  #receiver: WebhookReceiver | undefined
  #poller: Poller | undefined
  #stop = new AbortController()
  #starting: Promise<void> | undefined

  constructor(parts: ChatServiceParts) {
    this.#parts = parts
    this.#links = new ChatLinks(parts)
  }

  get links(): ChatLinks {
    return this.#links
  }

  /** Its name at Telegram, once the service has reached it. */
  get username(): string | null {
    return this.#username
  }

  get isConfigured(): boolean {
    return this.#parts.config.telegram !== null
  }

  /** Whether Telegram posts updates. */
  get hasWebhook(): boolean {
    return this.#parts.config.telegram?.updates === 'webhook'
  }

  /** Takes posts of Telegram; `undefined` if the bot polls, or before it begins. */
  get receiver(): WebhookReceiver | undefined {
    return this.#receiver
  }

  /** Begins to answer people. It does not wait for Telegram, which may be unreachable. @param ask answers what they ask */
  start(ask: AskAs): void {
    const { config, logger } = this.#parts
    if (config.telegram === null) return
    this.#starting = this.#begin(config.telegram, ask).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) logger.error({ reason: (error as Error).message }, 'chat not started')
    })
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('The service is shutting down.'))
    this.#receiver = undefined
    await this.#starting
    await this.#poller?.stop()
  }

  async #begin(config: TelegramConfig, ask: AskAs): Promise<void> {
    const { database, logger, vault } = this.#parts
    const telegram = await openTelegram(config)
    const me = await this.#untilAnswered(() => telegram.me())
    const chat = this.#openChat(telegram, ask)
    const log = new UpdateLog(database, me.id, randomUUID())
    const handle = (update: Update) => chat.handle(update)
    this.#username = me.username
    if (config.updates === 'polling') {
      const onError = (error: unknown) =>
        logger.warn({ reason: (error as Error).message }, 'updates of Telegram not read')
      this.#poller = new Poller({ telegram, log, handle, onError })
      this.#poller.start()
      return
    }
    const secret = vault.hash(config.token, 'telegram_webhook').toString('base64url')
    this.#receiver = { secret, take: (update) => take(log, update, handle) }
    await this.#untilAnswered(() =>
      telegram.setWebhook(`${this.#parts.config.publicUrl}${webhookPath}`, secret),
    )
  }

  #openChat(telegram: Telegram, ask: AskAs): Chat {
    const { database, vault, audit, confirmations, mute, logger } = this.#parts
    return new Chat({
      ...{ links: this.#links, telegram, audit, confirmations, mute },
      buttons: new Buttons(database, vault),
      apiOf: (person, key) => {
        const caller = { principal: principalOf(person), ip: ownAddress }
        return createApi((request) => {
          const { method, target } = request
          // With a count instead, half of a command that is done again would take the keys of the other half.
          const idempotencyKey = `${key} ${method} ${target}`
          return ask(caller, method === 'GET' ? request : { ...request, idempotencyKey })
        })
      },
      onError: (error) => logger.warn({ reason: (error as Error).message }, 'chat not answered'),
    })
  }

  /** Tries again until Telegram answers. @throws when the service stops */
  async #untilAnswered<Result>(request: () => Promise<Result>): Promise<Result> {
    const { logger } = this.#parts
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      this.#stop.signal.throwIfAborted()
      try {
        return await request()
      } catch (error) {
        if (pauseMs === firstPauseMs)
          logger.warn({ reason: (error as Error).message }, 'Telegram not reached')
        await sleep(pauseMs, undefined, { signal: this.#stop.signal, ref: false })
      }
    }
  }
}

/** @returns `false` if another node handles it at this moment */
async function take(
  log: UpdateLog,
  update: Update,
  handle: (update: Update) => Promise<void>,
): Promise<boolean> {
  const claimed = await log.claim(update.update_id)
  if (claimed !== 'ours') return claimed === 'done'
  try {
    await handle(update)
  } catch (error) {
    await log.free(update.update_id)
    throw error
  }
  await log.done(update.update_id)
  return true
}

/** The routes themselves refuse changes to a link for reading. */
function principalOf({ userId, role, scope }: LinkedPerson): Principal {
  return { userId, role, scope: scope === 'control' ? 'all' : 'read' }
}
