import type { ServerResponse } from 'node:http'
import { startRemote } from './remote.ts'
import { until } from './until.ts'

/**
 * Stands in for the Bot API of Telegram, in the shapes of https://core.telegram.org/bots/api: `getMe`, `getUpdates` with
 * its offset and its 409, webhooks, messages with buttons, and errors with `parameters.retry_after`.
 */
export type TelegramStandIn = AsyncDisposable & {
  /** Settings of a service that uses this bot. */
  env: Record<string, string>
  /** Messages that the bot has sent, and their texts as they are now. */
  sent: SentMessage[]
  /** Calls of a method, as their bodies. */
  calls(method: string): Record<string, unknown>[]
  /** The person writes to the bot, in their private chat or in `chat`. @returns the id of the update */
  say(person: number, text: string, chat?: { id: number; type: string }, atMs?: number): number
  /** The person presses a button under a message. */
  press(person: number, message: SentMessage, button?: number): number
  /** Telegram sends an update again. */
  repeat(updateId: number): void
  /** Goes on with another number of updates, as Telegram may after a week without one. */
  startAgainAt(updateId: number): void
  /** The next message to the person. */
  heard(person: number): Promise<SentMessage>
  /** Answers the next calls of a method so. */
  refuse(method: string, times: number, code: number, description: string, parameters?: object): void
  /** The webhook that the bot has set. */
  webhook(): { url: string; secret_token: string } | undefined
  /**
   * Posts updates to the webhook that the bot has set, at the address of a service of the test. @returns a function that
   * posts one again, and resolves to the status
   */
  postTo(origin: string): (updateId: number, secret?: string) => Promise<number>
}

export type SentMessage = {
  messageId: number
  chatId: number
  text: string
  buttons: { text: string; data: string }[]
  isDeleted: boolean
}

/** The fields that the methods here read. */
type MethodBody = {
  offset?: number
  timeout?: number
  url?: string
  secret_token?: string
  chat_id?: number
  message_id?: number
  text?: string
  reply_markup?: { inline_keyboard?: { text: string; callback_data: string }[][] }
}

type Waiting = { response: ServerResponse; timer: NodeJS.Timeout; offset: number }
type Refusal = { times: number; body: object; code: number }

/** Its clock: nothing that a test says becomes old while a slow machine gets to it. */
const aheadMs = 600_000

const token = '123456789:AAStandInStandInStandInStandInStandIn'
export const botToken = token

export async function startTelegram(): Promise<TelegramStandIn> {
  const updates: { update_id: number }[] = []
  const sent: SentMessage[] = []
  const read = new Map<number, number>()
  const made: { method: string; body: Record<string, unknown> }[] = []
  const refusals = new Map<string, Refusal>()
  let confirmed = 0
  let waiting: Waiting | undefined
  let webhook: { url: string; secret_token: string } | undefined
  const history = new Map<number, object>()
  let posting: ((updateId: number, secret?: string) => Promise<number>) | undefined
  let nextId = 1_000

  const answer = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const ok = (response: ServerResponse, result: unknown) => answer(response, 200, { ok: true, result })
  const fail = (response: ServerResponse, code: number, description: string) =>
    answer(response, code, { ok: false, error_code: code, description })
  const deliver = () => {
    if (waiting === undefined) return
    const { response, timer, offset } = waiting
    const found = updates.filter(({ update_id }) => update_id >= offset)
    if (found.length === 0) return
    clearTimeout(timer)
    waiting = undefined
    ok(response, found)
  }
  const add = (update: object): number => {
    const update_id = nextId++
    history.set(update_id, { update_id, ...update })
    if (posting !== undefined) void posting(update_id)
    else updates.push({ update_id, ...update })
    deliver()
    return update_id
  }

  const methods: Record<string, (body: MethodBody, response: ServerResponse) => void> = {
    getMe: (_body, response) => ok(response, { id: 123456789, is_bot: true, username: 'stand_in_bot' }),
    getUpdates: ({ offset: given = 0, timeout = 0 }, response) => {
      // Telegram answers an offset that is far in the future from its first update.
      const offset = given > nextId + 10 ? 0 : given
      if (webhook !== undefined)
        return fail(response, 409, "Conflict: can't use getUpdates method while webhook is active")
      if (waiting !== undefined) {
        clearTimeout(waiting.timer)
        fail(waiting.response, 409, 'Conflict: terminated by other getUpdates request')
      }
      confirmed = Math.max(confirmed, offset)
      while (updates[0] !== undefined && updates[0].update_id < confirmed) updates.shift()
      const timer = setTimeout(() => {
        waiting = undefined
        ok(response, [])
      }, timeout * 1000)
      waiting = { response, timer, offset }
      response.once('close', () => {
        clearTimeout(timer)
        if (waiting?.response === response) waiting = undefined
      })
      deliver()
    },
    setWebhook: ({ url = '', secret_token = '' }, response) => {
      webhook = { url, secret_token }
      ok(response, true)
    },
    deleteWebhook: (_body, response) => {
      webhook = undefined
      ok(response, true)
    },
    sendMessage: ({ chat_id, text, reply_markup }, response) => {
      const given = String(text ?? '')
      if (given.length === 0 || given.length > 4_096)
        return fail(response, 400, 'Bad Request: message is too long')
      const rows = (reply_markup as { inline_keyboard?: { text: string; callback_data: string }[][] })
        ?.inline_keyboard
      const buttons = (rows ?? [])
        .flat()
        .map(({ text: label, callback_data: data }) => ({ text: label, data }))
      if (buttons.some(({ data }) => Buffer.byteLength(data) > 64))
        return fail(response, 400, 'Bad Request: BUTTON_DATA_INVALID')
      const message = { messageId: sent.length + 1, chatId: Number(chat_id), text: visible(given), buttons }
      sent.push({ ...message, isDeleted: false })
      ok(response, {
        message_id: message.messageId,
        date: 0,
        chat: { id: chat_id, type: 'private' },
        text: given,
      })
    },
    editMessageText: ({ message_id, text }, response) => {
      const message = sent.find(({ messageId }) => messageId === message_id)
      if (message === undefined) return fail(response, 400, 'Bad Request: message to edit not found')
      Object.assign(message, { text: visible(String(text)), buttons: [] })
      ok(response, true)
    },
    deleteMessage: (_body, response) => ok(response, true),
    answerCallbackQuery: (_body, response) => ok(response, true),
  }

  const server = await startRemote(({ url, body }, response) => {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url) ?? []
    if (given !== token) return fail(response, 401, 'Unauthorized')
    const parsed = body === '' ? {} : JSON.parse(body)
    made.push({ method, body: parsed })
    const refusal = refusals.get(method)
    if (refusal !== undefined && refusal.times-- > 0) return answer(response, refusal.code, refusal.body)
    const call = methods[method]
    if (call === undefined) return fail(response, 404, 'Not Found')
    call(parsed, response)
  })
  const person = (id: number) => ({ id, is_bot: false, first_name: `Person ${id}` })
  return {
    env: { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: server.url },
    sent,
    calls: (method) => made.filter((one) => one.method === method).map(({ body }) => body),
    say: (id, text, chat = { id, type: 'private' }, atMs = Date.now() + aheadMs) =>
      add({
        message: { message_id: nextId, date: Math.floor(atMs / 1000), from: person(id), chat, text },
      }),
    press: (id, message, button = 0) =>
      add({
        callback_query: {
          ...{ id: String(nextId), from: person(id), data: message.buttons[button]!.data },
          message: { message_id: message.messageId, date: 0, chat: { id: message.chatId, type: 'private' } },
        },
      }),
    repeat: (updateId) => {
      updates.push(history.get(updateId) as { update_id: number })
      deliver()
    },
    startAgainAt: (updateId) => {
      nextId = updateId
      confirmed = 0
    },
    heard: async (id) => {
      const count = (read.get(id) ?? 0) + 1
      const own = () => sent.filter(({ chatId }) => chatId === id)
      await until(`message ${count} to ${id}`, async () => own().length >= count)
      read.set(id, count)
      // The bot may change it.
      return { ...own()[count - 1]! }
    },
    refuse: (method, times, code, description, parameters) =>
      void refusals.set(method, {
        ...{ times, code },
        body: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
      }),
    webhook: () => webhook,
    postTo: (origin) => {
      posting = async (updateId, secret = webhook!.secret_token) => {
        const response = await fetch(`${origin}${new URL(webhook!.url).pathname}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
          body: JSON.stringify(history.get(updateId)),
        })
        await response.arrayBuffer()
        return response.status
      }
      return posting
    },
    [Symbol.asyncDispose]: async () => {
      clearTimeout(waiting?.timer)
      await server[Symbol.asyncDispose]()
    },
  }
}

const visible = (text: string) => text.replaceAll('\u2060', '')
