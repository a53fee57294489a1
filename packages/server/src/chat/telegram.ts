/**
 * The Bot API of Telegram, https://core.telegram.org/bots/api, through grammY, which loads only if the service has a bot.
 *
 * The address of every request contains the token. Errors of grammY and of the network may name it, so none of them
 * leaves this file: callers get a {@link TelegramError} without it.
 */
import type { Api as GrammyApi } from 'grammy'
import type { Update, UserFromGetMe } from 'grammy/types'

export type { Update }
export type Me = Pick<UserFromGetMe, 'id' | 'username'>

/** Telegram has refused a request, or nobody has answered (`code` is `null`). */
export class TelegramError extends Error {
  override name = 'TelegramError'
  readonly code: number | null
  /** How long Telegram asks to wait. */
  readonly waitMs: number | null

  constructor(message: string, code: number | null, waitMs: number | null) {
    super(message)
    this.code = code
    this.waitMs = waitMs
  }
}

/** A button under a message. `data` has at most 64 bytes and comes back when it is pressed. */
export type Button = { text: string; data: string }

/** The part of the Bot API that the bot uses. Each method rejects with a {@link TelegramError}. */
export type Telegram = {
  me(): Promise<Me>
  /** Long polling: resolves when there are updates, or after `timeoutSeconds` without one. */
  updates(offset: number, timeoutSeconds: number, signal: AbortSignal): Promise<Update[]>
  setWebhook(url: string, secret: string): Promise<void>
  /** `getUpdates` fails while a webhook is set. Updates that wait stay. */
  deleteWebhook(): Promise<void>
  /** Sends plain text of at most 4,096 characters. @returns the id of the message */
  send(chatId: number, text: string, buttons?: readonly Button[]): Promise<number>
  /** Takes the buttons from under a message, and changes its text. */
  edit(chatId: number, messageId: number, text: string): Promise<void>
  delete(chatId: number, messageId: number): Promise<void>
  /** Every press of a button must be answered, or the app shows it as under way. */
  answerPress(id: string, text?: string): Promise<void>
}

const allowedUpdates = ['message', 'callback_query'] as const
const requestSeconds = 30
/** Few people use the bot of a service. */
const webhookConnections = 5

export async function openTelegram({
  token,
  apiRoot,
}: {
  token: string
  apiRoot: string
}): Promise<Telegram> {
  const { Api, GrammyError } = await import('grammy')
  const api: GrammyApi = new Api(token, { apiRoot, timeoutSeconds: requestSeconds, sensitiveLogs: false })
  const safely = async <Result>(method: string, request: () => Promise<Result>): Promise<Result> => {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof GrammyError))
        throw new TelegramError(`${method}: Telegram has not answered.`, null, null)
      const { error_code: code, parameters } = error
      const description = error.description.replaceAll(token, '…')
      const waitMs = parameters.retry_after === undefined ? null : parameters.retry_after * 1000
      throw new TelegramError(`${method}: Telegram answered ${code}: ${description}`, code, waitMs)
    }
  }
  return {
    me: () => safely('getMe', () => api.getMe()),
    updates: (offset, timeout, signal) =>
      safely('getUpdates', () =>
        // Its own type of signal is that of a package that does the same.
        api.getUpdates({ offset, timeout, allowed_updates: allowedUpdates }, signal as never),
      ),
    setWebhook: async (url, secret) => {
      await safely('setWebhook', () =>
        api.setWebhook(url, {
          secret_token: secret,
          allowed_updates: allowedUpdates,
          max_connections: webhookConnections,
        }),
      )
    },
    deleteWebhook: async () => {
      await safely('deleteWebhook', () => api.deleteWebhook())
    },
    send: async (chatId, text, buttons = []) => {
      const rows = buttons.map(({ text: label, data }) => [{ text: label, callback_data: data }])
      const { message_id } = await safely('sendMessage', () =>
        api.sendMessage(chatId, text, {
          link_preview_options: { is_disabled: true },
          ...(rows.length > 0 && { reply_markup: { inline_keyboard: rows } }),
        }),
      )
      return message_id
    },
    edit: async (chatId, messageId, text) => {
      await safely('editMessageText', () => api.editMessageText(chatId, messageId, text))
    },
    delete: async (chatId, messageId) => {
      await safely('deleteMessage', () => api.deleteMessage(chatId, messageId))
    },
    answerPress: async (id, text) => {
      await safely('answerCallbackQuery', () =>
        api.answerCallbackQuery(id, text === undefined ? {} : { text }),
      )
    },
  }
}
